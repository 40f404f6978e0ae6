"use strict";
// One match in a frame of a notebook, which has no address, no page of a bot, and no archive to go on from.

route.rest = () => {};
route.bot = () => null;
commands.fork = () => ({ list: null, to() {} });
commands.list = () => null;

data.load(file.values(), null);
const opened = match.view(data.match(0), report.replay, 0);
byId("main").replaceChildren(...opened.elements);
opened.begin();

"use strict";
// What to type where the event's archive is, to see a match again.

const commands = {
  /** The match again, and what one of its bots read and answered. */
  list: (id, bot) => make("ul", { class: "commands", "aria-label": "Commands that play it again" }, [
    [words.command("arena", "rerun", id), "the match again, with the same seeds"],
    [words.command("arena", "rerun", id, "--bot", report.names[report.bots.indexOf(bot)], "--print"), "this bot alone, fed what it read"],
  ].map(([command, what]) => make("li", {}, make("code", {}, command), make("span", {}, what)))),
};

"use strict";
// The page of a projector: it turns by itself through tables, upsets and a live match, and needs no hand.

const wall = (() => {
  const TABLE_MS = 12_000;
  const LIVE_MS = 60_000; // at most; a match that is over earlier gives way a moment later
  const RESULT_MS = 5_000;
  const MISSING_MS = 6_000; // without a match to show, it goes on

  /** Ask for newer tables; another event begins with a new page. */
  async function renew(host) {
    try {
      const answer = await fetch(location.href, { cache: "no-cache" });
      if (answer.status === 404) byId("wall-tables").replaceChildren(); // the event is hidden now
      if (!answer.ok) return;
      const page = site.parsed(await answer.text());
      if (page.getElementById("wall").dataset.name !== host.dataset.name) { location.reload(); return; }
      byId("wall-tables").replaceChildren(...page.getElementById("wall-tables").childNodes);
    } catch { /* the server is away for a moment: the tables stay */ }
  }

  /** Show a live match for a while. */
  function watch(section) {
    const host = section.querySelector(".host");
    return new Promise((done) => {
      let last = setTimeout(leave, MISSING_MS);
      const limit = setTimeout(leave, LIVE_MS);
      const stop = live.watch(host, (_text, ended, is_over) => {
        clearTimeout(last);
        if (ended) leave();
        else if (is_over) last = setTimeout(leave, RESULT_MS);
      });
      function leave() {
        clearTimeout(last);
        clearTimeout(limit);
        stop();
        host.replaceChildren();
        done();
      }
    });
  }

  async function start(host) {
    document.body.classList.add("turning");
    const show = (section) => {
      for (const each of host.querySelectorAll("section")) each.hidden = each !== section;
    };
    for (;;) {
      await renew(host);
      const tables = byId("wall-tables").querySelectorAll("section");
      for (const section of tables) {
        show(section);
        await site.pause(TABLE_MS);
      }
      if (!tables.length) await site.pause(MISSING_MS);
      if (!byId("wall-live")) continue;
      show(byId("wall-live"));
      await watch(byId("wall-live"));
    }
  }

  return { start };
})();

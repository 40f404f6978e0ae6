"use strict";
// A match that is watched turn by turn while it is played, by server-sent events (serve/live.py).

const live = (() => {
  const GLIDE_MS = 400; // in which a piece walks to its next cell

  /** A match as the viewer's other parts take it; scores and endings are known when it is over. */
  const matchOf = ({ id, board, bots }, { scores = [], endings = [] } = {}) =>
    ({ id, board, seats: board.roles.map((role, seat) => ({ role, seat, bot: bots[seat], score: scores[seat] ?? "", ending: endings[seat] ?? undefined })) });

  /**
   * Show what the stream of a host tells, until it ends. `tell` hears in words what happens, whether the stream has ended,
   * and whether the match is over. The answer stops it.
   */
  function watch(host, tell) {
    const source = new EventSource(host.dataset.stream);
    let [head, picture, players, last] = [null, null, null, null];
    const on = (name, hear) => source.addEventListener(name, ({ data: text }) => hear(JSON.parse(text)));
    on("match", (values) => {
      head = values;
      const found = matchOf(head);
      [picture, players, last] = [replay.growing(found, head.grids ?? undefined), match.players(found), null];
      host.replaceChildren(make("h3", {}, `${head.board.label}: ${[...new Set(head.bots)].join(" against ")}`),
        make("div", { class: "replay" }, picture.element, make("div", { class: "aside" }, players,
          make("p", { class: "outcome" }, head.over ? "This match is over, and is shown slowly." : "This match is played now."))));
      tell(`A match begins: ${host.querySelector("h3").textContent}`);
    });
    on("turns", (turns) => {
      picture.add(turns, turns.length === 1 ? GLIDE_MS : 0);
      last = turns.at(-1).moves.at(-1)?.[0] ?? last;
    });
    on("result", (result) => {
      players.replaceWith(match.players(matchOf(head, result)));
      const outcome = `${result.reason} after ${words.count(last ?? 0, "turn")}`;
      host.querySelector(".outcome").replaceChildren(make("span", {}, outcome), make("a", { href: route.match(head.id) }, "Replay"));
      tell(`The match is over: ${outcome}`, false, true);
    });
    on("over", () => {
      source.close();
      tell("No match is played now.", true);
    });
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) tell("The server refuses to show more: it is busy, or the event is hidden.", true);
    });
    return () => source.close();
  }

  /** The page of an event: it watches again when another run begins. */
  function start(host) {
    const status = make("p", { class: "unseen", role: "status" });
    host.after(status);
    let over = false;
    const begin = () => watch(host, (text, ended = false) => {
      status.textContent = text;
      status.className = ended ? "note" : "unseen"; // what happens in a match can be seen
      over = ended;
    });
    byId("progress").addEventListener("renewed", ({ target }) => { if (over && target.childElementCount) { over = false; begin(); } });
    begin();
  }

  return { watch, start };
})();

"use strict";
// A match's page: who played and how it went, its replay, faults in words, and what its processes left behind.

const match = (() => {
  let leave = () => {};

  function players(one) {
    return make("ul", { class: "players" }, one.seats.map((seat) => make("li", { class: data.won(one, seat.seat) ? "won" : null },
      looks.icon(one.board, seat.seat),
      make("span", { class: "role" }, seat.role),
      make("b", { class: "points" }, String(seat.score)),
      make("a", { class: "name", href: route.bot(seat.bot) }, seat.bot),
      seat.ending ? make("span", { class: "ending" }, words.plain(seat.ending)) : null)));
  }

  function outcome(one) {
    const near = (row, label) => (row >= 0 && row < data.rows ? make("a", { href: route.match(data.match(row).id) }, label) : null);
    return make("p", { class: "outcome" },
      make("span", {}, `${one.reason} after ${words.count(one.turns, "turn")}`),
      make("span", {}, `repeat ${one.repeat}, seed ${one.seed}`), make("code", {}, one.id),
      make("span", {}, near(one.row - 1, "Previous"), near(one.row + 1, "Next")));
  }

  function faultList(one, kept) {
    if (!kept.faults.length) return null;
    return make("ul", { class: "cards", "aria-label": "Faults" }, kept.faults.map(([seat, turn, ending, text]) =>
      make("li", {}, make("div", { class: "card-head" },
        make("strong", { class: "ending" }, words.plain(ending)),
        make("span", {}, `${one.board.roles[seat]} (${one.seats[seat].bot}), ${turn ? `turn ${turn}` : "before the first turn"}`)),
      make("p", { class: "words" }, text),
      commands.list(one.id, one.seats[seat].bot),
      kept.seats[seat].stderr ? make("pre", { tabindex: "0", "aria-label": "The last lines of its stderr" }, kept.seats[seat].stderr.join("\n")) : null)));
  }

  function processes(one, kept) {
    const told = (seat) => [
      seat.ready === undefined ? "never ready" : `ready after ${words.seconds(seat.ready)}`, `CPU ${words.seconds(seat.cpu ?? 0)}`,
      seat.memory ? `${seat.memory} MB` : null, seat.exit ?? null, ...(seat.warnings ?? []),
    ].filter(Boolean).join(" · ");
    const atFault = new Set(kept.faults.map(([seat]) => seat));
    return make("section", { class: "after" }, make("h3", {}, "Processes"), make("dl", { class: "processes" }, one.seats.map((seat) => [
      make("dt", { class: "seat" }, looks.icon(one.board, seat.seat), seat.bot),
      make("dd", {}, told(kept.seats[seat.seat]),
        kept.seats[seat.seat].stderr && !atFault.has(seat.seat) ? make("pre", { tabindex: "0", "aria-label": `stderr of ${seat.bot}` }, kept.seats[seat.seat].stderr.join("\n")) : null)])));
  }

  async function openReplay(one, turn, host) {
    const kept = await data.replay(one.row);
    if (!host.isConnected) return; // another match was opened meanwhile
    if (kept === null) {
      host.replaceChildren(players(one), make("p", { class: "note" }, "This file has no replay of this match: it holds the most informative and the newest ones. ", make("code", {}, `arena replay ${one.id}`), " prints it where the event's archive is."));
      return;
    }
    const viewer = replay.open(one, kept, turn, one.reason, [players(one), faultList(one, kept)]);
    leave = viewer.stop;
    host.replaceChildren(viewer.element, processes(one, kept));
    viewer.begin();
    viewer.element.focus({ preventScroll: true });
  }

  return {
    start() {},
    leave() { leave(); leave = () => {}; },
    show(values) {
      const row = data.rowOf(values.get("match"));
      const one = row === undefined ? null : data.match(row);
      byId("match-title").textContent = one ? `${one.board.column}: ${[...new Set(one.seats.map((seat) => seat.bot))].join(" against ")}` : "There is no such match here";
      if (!one) { byId("match-content").replaceChildren(matches.missing()); return null; }
      const host = make("div", {}, make("p", { class: "note" }, "Unpacking…"));
      byId("match-content").replaceChildren(outcome(one), host);
      openReplay(one, Number(values.get("turn") ?? 0), host).catch((error) =>
        host.replaceChildren(make("p", { class: "note" }, `The replay could not be unpacked: ${error.message}. A newer browser may do.`)));
      return byId("match-title").textContent;
    },
  };
})();

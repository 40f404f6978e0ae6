"use strict";
// A match's page: who played and how it went, its replay, faults in words, and what its processes left behind.

const match = (() => {
  let leave = () => {};

  function players(match) {
    return make("ul", { class: "players" }, match.seats.map((seat) => make("li", { class: data.won(match, seat.seat) ? "won" : null },
      looks.icon(match.board, seat.seat),
      make("span", { class: "role" }, seat.role),
      make("b", { class: "points" }, String(seat.score)),
      make("a", { class: "name", href: route.bot(seat.bot) }, seat.bot),
      seat.ending ? make("span", { class: "ending" }, words.plain(seat.ending)) : null)));
  }

  function outcome(match) {
    const near = (row, label) => (row >= 0 && row < data.rows ? make("a", { href: route.match(data.match(row).id) }, label) : null);
    return make("p", { class: "outcome" },
      make("span", {}, `${match.reason} after ${words.count(match.turns, "turn")}`),
      make("span", {}, `repeat ${match.repeat}, seed ${match.seed}`), make("code", {}, match.id),
      make("span", {}, near(match.row - 1, "Previous"), near(match.row + 1, "Next")));
  }

  function faultList(match, record) {
    if (!record.faults.length) return null;
    return make("ul", { class: "cards", "aria-label": "Faults" }, record.faults.map(([seat, turn, ending, text]) =>
      make("li", {}, make("div", { class: "card-head" },
        make("strong", { class: "ending" }, words.plain(ending)),
        make("span", {}, `${match.board.roles[seat]} (${match.seats[seat].bot}), ${turn ? `turn ${turn}` : "before the first turn"}`)),
      make("p", { class: "words" }, text),
      commands.list(match.id, match.seats[seat].bot, turn),
      record.seats[seat].stderr ? make("pre", { tabindex: "0", "aria-label": "The last lines of its stderr" }, record.seats[seat].stderr.join("\n")) : null)));
  }

  function processes(match, record) {
    const figures = (seat) => [
      seat.ready === undefined ? "never ready" : `ready after ${words.seconds(seat.ready)}`, `CPU ${words.seconds(seat.cpu ?? 0)}`,
      seat.memory ? `${seat.memory} MB` : null, seat.exit ?? null, ...(seat.warnings ?? []),
    ].filter(Boolean).join(" · ");
    const atFault = new Set(record.faults.map(([seat]) => seat));
    return make("section", { class: "after" }, make("h3", {}, "Processes"), make("dl", { class: "processes" }, match.seats.map((seat) => [
      make("dt", { class: "seat" }, looks.icon(match.board, seat.seat), seat.bot),
      make("dd", {}, figures(record.seats[seat.seat]),
        record.seats[seat.seat].stderr && !atFault.has(seat.seat) ? make("pre", { tabindex: "0", "aria-label": `stderr of ${seat.bot}` }, record.seats[seat.seat].stderr.join("\n")) : null)])));
  }

  async function openReplay(match, turn, host) {
    const record = await data.replay(match.row);
    if (!host.isConnected) return; // another match was opened meanwhile
    if (record === null && report.event.imported) {
      host.replaceChildren(players(match), make("p", { class: "note" }, "This match was imported: only its result is known, so there is nothing to replay."));
      return;
    }
    if (record === null) {
      host.replaceChildren(players(match), make("p", { class: "note" }, "This file has no replay of this match, but only those of the most informative and the newest matches. ", make("code", {}, `arena replay ${match.id}`), " prints it where the event's archive is."));
      return;
    }
    const viewer = view(match, record, turn);
    leave = viewer.stop;
    host.replaceChildren(...viewer.elements);
    viewer.begin();
    const unused = [document.body, byId("main"), byId("match-title")]; // who went on to something else meanwhile stays there
    if (unused.includes(document.activeElement)) viewer.elements[0].focus({ preventScroll: true });
  }

  /** The elements of a replay, first the viewer; `begin` shows the turn, `stop` is for when it is left. */
  function view(match, record, turn) {
    const { element, begin, stop } = replay.open(match, record, turn, match.reason, [players(match), faultList(match, record)]);
    return { elements: [element, processes(match, record)], begin, stop };
  }

  return {
    players,
    view,
    leave() { leave(); leave = () => {}; },
    show(values) {
      const row = data.rowOf(values.get("match"));
      const match = row === undefined ? null : data.match(row);
      byId("match-title").textContent = match ? `${match.board.label}: ${[...new Set(match.seats.map((seat) => seat.bot))].join(" against ")}` : "There is no such match here";
      if (!match) { byId("match-content").replaceChildren(matches.missing()); return null; }
      const host = make("div", {}, make("p", { class: "note" }, "Unpacking…"));
      byId("match-content").replaceChildren(outcome(match), host);
      openReplay(match, Number(values.get("turn") ?? 0), host).catch((error) =>
        host.replaceChildren(make("p", { class: "note" }, `The replay could not be unpacked: ${error.message}. A newer browser may do.`)));
      return byId("match-title").textContent;
    },
  };
})();

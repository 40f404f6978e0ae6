"use strict";
// What the page shows: an event, its boards, and matches with their replays. It does not know where that comes from.

let report = null; // the event, its boards, and columns of matches (report/data.py)

const data = (() => {
  let rowById = new Map();
  let replayOf = null;

  /** One match with its names; `row` is its index in the list. */
  function match(row) {
    const { boards, bots, matches } = report;
    const board = boards[matches.board[row]];
    return {
      row,
      id: matches.id[row],
      board,
      repeat: matches.repeat[row],
      seed: matches.seed[row],
      turns: matches.turns[row],
      reason: matches.reasons[matches.reason[row]],
      hasReplay: matches.replay[row] >= 0,
      seats: board.roles.map((role, seat) => {
        const ending = matches.endings[row] ? matches.endings[row][seat] : 0;
        return {
          role,
          seat,
          bot: bots[matches.bots[row][seat]],
          score: matches.scores[row][seat],
          ending: report.endings[Math.abs(ending) - 1],
          absent: ending < 0,
        };
      }),
    };
  }

  return {
    match,
    /** Take what the page shows; `replay` gives that of a match by its row, or null, as a promise. */
    load(values, replay) {
      report = values;
      replayOf = replay;
      rowById = new Map(report.matches.id.map((id, row) => [id, row]));
    },
    get rows() { return report.matches.id.length; },
    /** The row of a match by its id; undefined when this file has no such match. */
    rowOf: (id) => rowById.get(id),
    /** Whether the side of a seat scored strictly most: true, false, or null when it tied. A bot that did not start has lost. */
    won(match, seat) {
      if (match.seats[seat].absent) return false;
      const best = match.board.sides.map((side) => Math.max(...side.map((each) => match.seats[each].score)));
      const own = best[match.board.sides.findIndex((side) => side.includes(seat))];
      const top = Math.max(...best);
      return own < top ? false : best.filter((score) => score === top).length === 1 ? true : null;
    },
    /** The moves and facts of a match, a promise; null when there is no replay. */
    replay: (row) => replayOf(row),
  };
})();

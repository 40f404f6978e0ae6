"use strict";
// The data of this file: what the first block says, and replays that are unpacked when somebody looks at them.

const report = JSON.parse(document.getElementById("data").textContent);

const data = (() => {
  const { boards, bots, matches } = report;
  const rowById = new Map(matches.id.map((id, row) => [id, row]));
  const chunks = new Map();

  async function unpacked(number) {
    const text = document.getElementsByClassName("chunk")[number].textContent;
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  /** One match with its names; `row` is its index in the list. */
  function match(row) {
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
      seats: board.roles.map((role, seat) => ({
        role,
        seat,
        bot: bots[matches.bots[row][seat]],
        score: matches.scores[row][seat],
        ending: matches.endings[row] ? report.endings[matches.endings[row][seat] - 1] : undefined,
      })),
    };
  }

  return {
    match,
    rows: matches.id.length,
    /** The row of a match by its id; undefined when this file has no such match. */
    rowOf: (id) => rowById.get(id),
    /** Whether the side of a seat scored strictly most: true, false, or null when it tied. */
    won(match, seat) {
      const best = match.board.sides.map((side) => Math.max(...side.map((each) => match.seats[each].score)));
      const own = best[match.board.sides.findIndex((side) => side.includes(seat))];
      const top = Math.max(...best);
      return own < top ? false : best.filter((score) => score === top).length === 1 ? true : null;
    },
    /** The moves and facts of a match, a promise; null when they are not in this file. */
    async replay(row) {
      const number = matches.replay[row];
      if (number < 0) return null;
      if (!chunks.has(number)) chunks.set(number, unpacked(number));
      return (await chunks.get(number))[matches.id[row]];
    },
  };
})();

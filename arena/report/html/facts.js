"use strict";
// The scene of a state. Python has read the facts (report/boards.py): what is drawn comes as the number of its declaration
// with cell and owner, and what is not comes as its text.

const facts = (() => {
  const STEPS = { north: [0, 1], south: [0, -1], east: [1, 0], west: [-1, 0] };

  return {
    STEPS,

    /** The steps of a move from a cell: the cell after each, and the wall's direction where one stopped it. */
    way(from, { words, fates }) {
      const steps = [];
      let [x, y] = from;
      words.forEach((word, index) => {
        if (!Object.hasOwn(STEPS, word) || fates[index] === "n") return;
        const stopped = fates[index] === "b";
        if (!stopped) [x, y] = [x + STEPS[word][0], y + STEPS[word][1]];
        steps.push({ cell: [x, y], toward: stopped ? STEPS[word] : null });
      });
      return steps;
    },

    /** Of each grid the roles' pieces by seat and the marks; the rows of cards, and every fact that is not drawn. */
    scene(board, state) {
      const seen = { grids: board.grids.map(() => ({ roles: new Map(), marks: new Map() })), cards: [], others: [] };
      for (const each of state) {
        const item = typeof each === "string" ? null : board.drawing[each[0]];
        if (!item) seen.others.push(each);
        else if (item.kind === "cards") seen.cards.push({ label: each[1], cards: each.slice(2) });
        else {
          const [, x, y, owner = 0, grid = 0, text = ""] = each;
          const seat = owner - 1;
          if (item.kind === "piece") seen.grids[grid].roles.set(seat, [x, y]);
          else seen.grids[grid].marks.set(each.join(" "), { cell: [x, y], item, seat, text });
        }
      }
      return seen;
    },
  };
})();

"use strict";
// The scene of a state, as Python computed it (report/boards.py): what stands where, each with the number of its style.

const scene = (() => {
  const STEPS = { north: [0, 1], south: [0, -1], east: [1, 0], west: [-1, 0] };

  return {
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

    /** Of each grid the pieces by seat and the marks; the rows of cards, and every fact that is not drawn. */
    of(board, items) {
      const seen = { grids: board.grids.map(() => ({ pieces: new Map(), marks: new Map() })), cards: [], others: [] };
      for (const item of items) {
        const style = typeof item === "string" ? null : board.styles[item[0]];
        if (!style) seen.others.push(item);
        else if (style.kind === "cards") seen.cards.push({ label: item[1], cards: item.slice(2) });
        else {
          const [, x, y, grid = 0, text = ""] = item;
          if (style.kind === "piece") seen.grids[grid].pieces.set(style.role, { cell: [x, y], style });
          else seen.grids[grid].marks.set(item.join(" "), { cell: [x, y], style, text });
        }
      }
      return seen;
    },
  };
})();

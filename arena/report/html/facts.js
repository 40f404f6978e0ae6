"use strict";
// The facts of every turn out of the packed changes, and what the game's declaration draws of them (arena/drawing.py).

const facts = (() => {
  const STEPS = { north: [0, 1], south: [0, -1], east: [1, 0], west: [-1, 0] };
  const VARIABLE = /^[A-Z]+$/;

  /** The facts after a change: indices that are gone, then pairs of index and new fact. */
  function applied(before, [gone, fresh]) {
    const after = before.filter((_, index) => !gone.includes(index));
    for (let index = 0; index < fresh.length; index += 2) after.splice(fresh[index], 0, fresh[index + 1]);
    return after;
  }

  const whole = (word) => (/^-?\d+$/.test(word) ? Number(word) : null);

  function cell(grid, x, y) {
    const [column, row] = [whole(x ?? ""), whole(y ?? "")];
    const inside = (value, [low, high]) => value !== null && value >= low && value <= high;
    return grid && inside(column, grid.columns) && inside(row, grid.rows) ? [column, row] : null;
  }

  /** The words of a fact for which the capitals of a pattern stand; null when the pattern does not fit. */
  function variables(pattern, words) {
    const wanted = pattern.split(" ");
    const rest = wanted.at(-1) === "CARDS" ? words.slice(wanted.length - 1) : null;
    if (rest === null ? words.length !== wanted.length : words.length < wanted.length - 1) return null;
    const values = { CARDS: rest };
    for (const [index, word] of wanted.entries()) {
      if (word === "CARDS") continue;
      if (VARIABLE.test(word)) values[word] = words[index];
      else if (word !== words[index]) return null;
    }
    return values;
  }

  /** The words of a fact that are not its cell, without the first where there are more. */
  function name(pattern, words) {
    const wanted = pattern.split(" ");
    const named = words.filter((_, index) => wanted[index] !== "X" && wanted[index] !== "Y");
    return (named.length > 1 ? named.slice(1) : named).join(" ");
  }

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

    /** The facts at the start and after each turn. */
    states(replay) {
      const all = [replay.start];
      for (const change of replay.changes) all.push(applied(all.at(-1), change));
      return all;
    },

    /** The roles' pieces by seat, the marks by their facts, the rows of cards, and every fact that is not drawn. */
    scene(board, state) {
      const seen = { roles: new Map(), marks: new Map(), cards: [], others: [] };
      for (const fact of state) {
        const words = fact.split(/\s+/);
        const item = board.drawing.find((each) => variables(each.fact, words) !== null);
        const values = item ? variables(item.fact, words) : {};
        const position = cell(board.grid, values.X, values.Y);
        const seat = item?.kind === "piece" ? board.roles.indexOf(name(item.fact, words)) : -1;
        if (seat >= 0 && position) seen.roles.set(seat, position);
        else if (item?.kind === "mark" && position) seen.marks.set(fact, { cell: position, item, role: values.ROLE });
        else if (item?.kind === "cards") {
          const cards = values.CARDS ?? [values.CARD];
          seen.cards.push({ label: words.slice(0, words.length - cards.length).join(" "), cards });
        } else seen.others.push(fact);
      }
      return seen;
    },

    /** The declaration of how a role looks: its piece, or else the discs that it owns; undefined when there is none. */
    lookOf(board, role) {
      const own = (each) => each.fact.split(" ").some((word) => word === "ROLE" || word === role);
      return board.drawing.find((each) => each.kind === "piece" && own(each))
        ?? board.drawing.find((each) => each.kind === "mark" && each.shape === "disc" && own(each));
    },
  };
})();

"use strict";
// The facts of every turn out of the packed changes, and what of them stands on the grid.

const facts = (() => {
  const STEPS = { north: [0, 1], south: [0, -1], east: [1, 0], west: [-1, 0] };

  /** The facts after a change: places that are gone, then pairs of place and new fact. */
  function applied(before, [gone, fresh]) {
    const after = before.filter((_, place) => !gone.includes(place));
    for (let one = 0; one < fresh.length; one += 2) after.splice(fresh[one], 0, fresh[one + 1]);
    return after;
  }

  const whole = (word) => (/^-?\d+$/.test(word) ? Number(word) : null);

  function cell(board, x, y) {
    const [one, other] = [whole(x ?? ""), whole(y ?? "")];
    const inside = (value) => value !== null && value >= board.grid.low && value <= board.grid.high;
    return inside(one) && inside(other) ? [one, other] : null;
  }

  return {
    STEPS,

    /** The steps of a move from a cell: the cell after each, and the wall's direction where one stopped it. */
    way(from, { words, fates }) {
      const steps = [];
      let [x, y] = from;
      words.forEach((word, place) => {
        if (!Object.hasOwn(STEPS, word) || fates[place] === "n") return;
        const stopped = fates[place] === "b";
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

    /** Where the roles and the pellets are, and every fact that is not drawn. */
    scene(board, state) {
      const seen = { roles: new Map(), pellets: new Set(), others: [] };
      for (const fact of state) {
        const [word, ...rest] = fact.split(/\s+/);
        const seat = word === "at" && rest.length === 3 ? board.roles.indexOf(rest[0]) : -1;
        const place = board.grid && (seat >= 0 ? cell(board, rest[1], rest[2]) : rest.length === 2 ? cell(board, ...rest) : null);
        if (seat >= 0 && place) seen.roles.set(seat, place);
        else if (word === "pellet" && place) seen.pellets.add(place.join(" "));
        else seen.others.push(fact);
      }
      return seen;
    },
  };
})();

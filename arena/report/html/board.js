"use strict";
// The drawn board: what never changes once, then every state on it, with the characters walking from one to the next.
// A cell is 10 wide. `y` of the game grows upwards, `y` of a drawing downwards.

const boardOf = (board) => {
  const { low, high, walls, exits, reach } = board.grid;
  const UNIT = 10, RIM = 4, BUMP = 3;
  const size = (high - low + 1) * UNIT;
  const middle = ([x, y]) => [(x - low + 0.5) * UNIT, (high - y + 0.5) * UNIT];
  const key = (cell) => cell.join(" ");
  const inReach = new Set(reach.map(key));

  function cells() {
    const all = [];
    for (let x = low; x <= high; x += 1) {
      for (let y = low; y <= high; y += 1) {
        const [cx, cy] = middle([x, y]);
        all.push(draw("rect", { class: inReach.has(key([x, y])) ? "cell" : "rock", "data-cell": key([x, y]), x: cx - UNIT / 2, y: cy - UNIT / 2, width: UNIT, height: UNIT }));
      }
    }
    return all;
  }

  /** The edges that stop somebody: walls, and the rim of the grid, beside cells that can be reached. */
  function edges() {
    const shut = new Set(walls.map(([one, other]) => `${key(one)}/${key(other)}`));
    const path = [];
    for (const [x, y] of reach) {
      const [cx, cy] = middle([x, y]);
      for (const [dx, dy] of Object.values(facts.STEPS)) {
        const there = [x + dx, y + dy];
        const pair = [[x, y], there].sort((one, other) => one[0] - other[0] || one[1] - other[1]).map(key).join("/");
        const outside = there.some((value) => value < low || value > high);
        if (!outside && !shut.has(pair)) continue;
        const [mx, my] = [cx + (dx * UNIT) / 2, cy - (dy * UNIT) / 2];
        path.push(dx ? `M${mx} ${my - 5}v10` : `M${mx - 5} ${my}h10`);
      }
    }
    return draw("path", { class: "wall", d: path.join("") });
  }

  const door = (cell) => {
    const [x, y] = middle(cell);
    return draw("g", { transform: `translate(${x} ${y})` }, draw("title", {}, `exit ${key(cell)}`),
      draw("rect", { class: "exit", x: -4, y: -4, width: 8, height: 8, rx: 1.4 }),
      draw("path", { class: "door", d: "M-1.9 2.6v-3.1a1.9 1.9 0 0 1 3.8 0v3.1z" }));
  };

  function labels() {
    const stride = high - low > 14 ? 5 : 1;
    const all = [];
    for (let value = low; value <= high; value += 1) {
      if (value % stride) continue;
      const [x, y] = middle([value, value]);
      all.push(draw("text", { x, y: size + RIM - 0.7, "text-anchor": "middle" }, String(value)));
      all.push(draw("text", { x: -RIM + 1.6, y: y + 0.8, "text-anchor": "middle" }, String(value)));
    }
    return all;
  }

  const pellets = new Map();
  const pieces = new Map();
  const trails = draw("g");
  const pelletLayer = draw("g");
  const pieceLayer = draw("g");
  const svg = draw("svg", { class: "board", viewBox: `${-RIM} -1 ${size + RIM + 1} ${size + RIM + 1}`, role: "img" },
    cells(), exits.map(door), trails, pelletLayer, edges(), pieceLayer, labels());

  function pellet(place) {
    if (!pellets.has(place)) {
      const [cx, cy] = middle(place.split(" ").map(Number));
      const dot = draw("circle", { class: "pellet", cx, cy, r: 1.05, "data-cell": place });
      pellets.set(place, dot);
      pelletLayer.append(dot);
    }
    return pellets.get(place);
  }

  function piece(seat) {
    if (!pieces.has(seat)) {
      const face = draw("g", {}, looks.shape(board, seat));
      const drawn = draw("g", { class: "piece", "data-role": board.roles[seat] }, draw("title", {}, board.roles[seat]), face);
      const trail = draw("path", { class: "trail", stroke: looks.trail(board, seat) });
      pieces.set(seat, { drawn, face, trail });
      pieceLayer.prepend(drawn); // who moves first stands in front
      trails.append(trail);
    }
    return pieces.get(seat);
  }

  /** Where a character stands in its cell: in the middle, or beside others who are there too. */
  function spot(seat, roles) {
    const here = [...roles].filter(([, cell]) => key(cell) === key(roles.get(seat))).map(([other]) => other);
    const [x, y] = middle(roles.get(seat));
    if (here.length === 1) return { x, y, scale: 1 };
    const lane = here.indexOf(seat) - (here.length - 1) / 2;
    return { x: x + (lane * 4.4) / Math.max(1, here.length - 1), y: y + lane * 0.6, scale: 0.74 };
  }

  const placed = ({ x, y, scale }) => `translate(${x}px, ${y}px) scale(${scale})`;

  /** The spots between: through every cell of a way, with a nudge at each wall that stopped a step. */
  function spots(steps, end) {
    const all = steps.flatMap(({ cell, toward }) => {
      const [x, y] = middle(cell);
      const there = { x, y, scale: 1 };
      return toward ? [{ x: x + toward[0] * BUMP, y: y - toward[1] * BUMP, scale: 1 }, there] : [there];
    });
    return [...all.slice(0, -1), end];
  }

  function walk(drawn, along, milliseconds) {
    drawn.style.transform = placed(along.at(-1));
    if (along.length < 2 || milliseconds < 20 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    drawn.animate(along.map((each) => ({ transform: placed(each), easing: "ease-in-out" })), { duration: milliseconds });
  }

  let shown = null;
  return {
    svg,
    /**
     * Show a state. `ways` are the steps of each seat that led to it from the state that is shown (`facts.way`), walked
     * in so many milliseconds; without time the characters are there at once. `trail` holds the last cells of each seat.
     */
    show(scene, { ways = new Map(), milliseconds = 0, trail = new Map(), title = "" } = {}) {
      for (const place of scene.pellets) pellet(place);
      for (const [place, dot] of pellets) dot.classList.toggle("taken", !scene.pellets.has(place));
      for (const [seat, { drawn }] of pieces) drawn.toggleAttribute("hidden", !scene.roles.has(seat));
      for (const [seat, cell] of scene.roles) {
        const { drawn, face, trail: line } = piece(seat);
        const along = trail.get(seat) ?? [];
        [drawn.dataset.x, drawn.dataset.y] = cell;
        const begin = shown?.roles.has(seat) && milliseconds ? [spot(seat, shown.roles)] : [];
        walk(drawn, [...begin, ...spots(ways.get(seat) ?? [], spot(seat, scene.roles))], milliseconds);
        if (along.length > 1) face.setAttribute("transform", looks.facing(board, seat, [0, 1].map((axis) => along.at(-1)[axis] - along.at(-2)[axis])));
        line.setAttribute("d", along.map((each, place) => `${place ? "L" : "M"}${middle(each).join(" ")}`).join(""));
      }
      svg.setAttribute("aria-label", title);
      shown = scene;
    },
  };
};

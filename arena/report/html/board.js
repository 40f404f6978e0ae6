"use strict";
// The drawn board: what never changes once, then every state on it, with the characters walking from one to the next.
// A cell is 10 wide. `y` of the game grows upwards, `y` of a drawing downwards.

const boardOf = (board, grid) => {
  const { columns: [west, east], rows: [south, north], walls, reach, marks: always } = grid;
  const UNIT = 10, RIM = 4, BUMP = 3;
  const [width, height] = [(east - west + 1) * UNIT, (north - south + 1) * UNIT];
  const middle = ([x, y]) => [(x - west + 0.5) * UNIT, (north - y + 0.5) * UNIT];
  const key = (cell) => cell.join(" ");
  const inReach = new Set(reach.map(key));

  function cells() {
    const all = [];
    for (let x = west; x <= east; x += 1) {
      for (let y = south; y <= north; y += 1) {
        const [cx, cy] = middle([x, y]);
        all.push(draw("rect", { class: inReach.has(key([x, y])) ? "cell" : "rock", "data-cell": key([x, y]), x: cx - UNIT / 2, y: cy - UNIT / 2, width: UNIT, height: UNIT }));
      }
    }
    return all;
  }

  /** The edges that stop somebody: walls, and the rim of the grid, beside cells that can be reached. */
  function edges() {
    const shut = new Set(walls.map(([cell, next]) => `${key(cell)}/${key(next)}`));
    const path = [];
    for (const [x, y] of reach) {
      const [cx, cy] = middle([x, y]);
      for (const [dx, dy] of Object.values(facts.STEPS)) {
        const there = [x + dx, y + dy];
        const pair = [[x, y], there].sort((left, right) => left[0] - right[0] || left[1] - right[1]).map(key).join("/");
        const outside = there[0] < west || there[0] > east || there[1] < south || there[1] > north;
        if (!outside && !shut.has(pair)) continue;
        const [mx, my] = [cx + (dx * UNIT) / 2, cy - (dy * UNIT) / 2];
        path.push(dx ? `M${mx} ${my - 5}v10` : `M${mx - 5} ${my}h10`);
      }
    }
    return draw("path", { class: "wall", d: path.join("") });
  }

  /** A mark in the middle of its cell; its title is what its fact says. */
  function mark({ cell, item, seat, text }) {
    const [x, y] = middle(cell);
    const said = { X: cell[0], Y: cell[1], ROLE: board.roles[seat], TEXT: text, GRID: grid.name };
    return draw("g", { class: `mark ${item.shape}`, "data-cell": key(cell), transform: `translate(${x} ${y})` },
      draw("title", {}, item.fact.split(" ").map((word) => said[word] ?? word).join(" ")), looks.mark(board, item, seat, text));
  }

  function labels() {
    const all = [];
    const stride = (low, high) => (high - low > 14 ? 5 : 1);
    for (let x = west; x <= east; x += 1) {
      if (x % stride(west, east) === 0) all.push(draw("text", { x: middle([x, south])[0], y: height + RIM - 0.7, "text-anchor": "middle" }, String(x)));
    }
    for (let y = south; y <= north; y += 1) {
      if (y % stride(south, north) === 0) all.push(draw("text", { x: -RIM + 1.6, y: middle([west, y])[1] + 0.8, "text-anchor": "middle" }, String(y)));
    }
    return all;
  }

  const marks = new Map();
  const pieces = new Map();
  const trails = draw("g");
  const markLayer = draw("g", { class: "marks" });
  const pieceLayer = draw("g");
  const fixed = [...facts.scene({ ...board, grids: [grid] }, always).grids[0].marks.values()].map(mark);
  const svg = draw("svg", { class: "board", viewBox: `${-RIM} -1 ${width + RIM + 1} ${height + RIM + 1}`, role: "img" },
    cells(), fixed, trails, markLayer, edges(), pieceLayer, labels());

  function piece(seat) {
    if (!pieces.has(seat)) {
      const face = draw("g", {}, looks.shape(board, seat));
      const element = draw("g", { class: "piece", "data-role": board.roles[seat] }, draw("title", {}, board.roles[seat]), face);
      const trail = draw("path", { class: "trail", stroke: looks.trail(board, seat) });
      pieces.set(seat, { element, face, trail });
      pieceLayer.prepend(element); // who moves first stands in front
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

  function walk(element, along, milliseconds) {
    element.style.transform = placed(along.at(-1));
    if (along.length < 2 || milliseconds < 20 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    element.animate(along.map((each) => ({ transform: placed(each), easing: "ease-in-out" })), { duration: milliseconds });
  }

  let current = null;
  return {
    svg,
    /**
     * Show the grid of a state. `ways` are the steps of each seat that led to it (`facts.way`), walked in this number
     * of milliseconds; without time the characters are there at once. `trail` holds the last cells of each seat.
     */
    show(scene, { ways = new Map(), milliseconds = 0, trail = new Map(), title = "" } = {}) {
      for (const [name, each] of scene.marks) {
        if (marks.has(name)) continue;
        marks.set(name, mark(each));
        markLayer.append(marks.get(name));
      }
      for (const [name, element] of marks) element.classList.toggle("taken", !scene.marks.has(name));
      for (const [seat, { element }] of pieces) element.toggleAttribute("hidden", !scene.roles.has(seat));
      for (const [seat, cell] of scene.roles) {
        const { element, face, trail: line } = piece(seat);
        const along = trail.get(seat) ?? [];
        [element.dataset.x, element.dataset.y] = cell;
        const begin = current?.roles.has(seat) && milliseconds ? [spot(seat, current.roles)] : [];
        walk(element, [...begin, ...spots(ways.get(seat) ?? [], spot(seat, scene.roles))], milliseconds);
        if (along.length > 1) face.setAttribute("transform", looks.facing(board, seat, [0, 1].map((axis) => along.at(-1)[axis] - along.at(-2)[axis])));
        line.setAttribute("d", along.map((each, index) => `${index ? "L" : "M"}${middle(each).join(" ")}`).join(""));
      }
      svg.setAttribute("aria-label", title);
      current = scene;
    },
  };
};

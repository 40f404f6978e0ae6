"use strict";
// The drawn board: what never changes once, then every state on it, with the characters walking from one to the next.
// A cell is 10 wide. `y` of the game grows upwards, `y` of a drawing downwards.

const boardOf = (board, grid) => {
  const { columns: [west, east], rows: [south, north], walls, rock, chequered, marks: always } = grid;
  const UNIT = 10, RIM = 4, BUMP = 3;
  const [width, height] = [(east - west + 1) * UNIT, (north - south + 1) * UNIT];
  const middle = ([x, y]) => [(x - west + 0.5) * UNIT, (north - y + 0.5) * UNIT];
  const key = (cell) => cell.join(" ");
  const outOfReach = new Set(rock.map(key));

  function look([x, y]) {
    if (outOfReach.has(key([x, y]))) return "rock";
    return chequered && (x - west + y - south) % 2 === 0 ? "cell dark" : "cell";
  }

  function cells() {
    const all = [];
    for (let x = west; x <= east; x += 1) {
      for (let y = south; y <= north; y += 1) {
        const [cx, cy] = middle([x, y]);
        all.push(draw("rect", { class: look([x, y]), "data-cell": key([x, y]), x: cx - UNIT / 2, y: cy - UNIT / 2, width: UNIT, height: UNIT }));
      }
    }
    return all;
  }

  /** A mark in the middle of its cell; its title is what its fact says. */
  function mark({ cell, style, text }) {
    const [x, y] = middle(cell);
    const said = { X: cell[0], Y: cell[1], TEXT: text, GRID: grid.name };
    return draw("g", { class: `mark ${style.shape}`, "data-cell": key(cell), transform: `translate(${x} ${y})` },
      draw("title", {}, style.fact.split(" ").map((word) => said[word] ?? word).join(" ")), looks.shape(style, text));
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
  const fixed = [...scene.of(board, always).grids[board.grids.indexOf(grid)].marks.values()].map(mark);
  const svg = draw("svg", { class: "board", viewBox: `${-RIM} -1 ${width + RIM + 1} ${height + RIM + 1}`, role: "img" },
    cells(), fixed, trails, markLayer, draw("path", { class: "wall", d: walls }), pieceLayer, labels());

  function piece(seat, style) {
    if (!pieces.has(seat)) {
      const face = draw("g", {}, looks.shape(style));
      const element = draw("g", { class: "piece", "data-role": board.roles[seat] }, draw("title", {}, board.roles[seat]), face);
      const trail = draw("path", { class: "trail", stroke: style.trail });
      pieces.set(seat, { element, face, trail });
      pieceLayer.prepend(element); // who moves first stands in front
      trails.append(trail);
    }
    return pieces.get(seat);
  }

  /** Where a character stands in its cell: in the middle, or beside others who are there too. */
  function spot(seat, all) {
    const { cell } = all.get(seat);
    const here = [...all].filter(([, other]) => key(other.cell) === key(cell)).map(([other]) => other);
    const [x, y] = middle(cell);
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
     * Show the grid of a state. `ways` are the steps of each seat that led to it (`scene.way`), walked in this number
     * of milliseconds; without time the characters are there at once. `trail` holds the last cells of each seat.
     */
    show(seen, { ways = new Map(), milliseconds = 0, trail = new Map(), title = "" } = {}) {
      for (const [name, each] of seen.marks) {
        if (marks.has(name)) continue;
        marks.set(name, mark(each));
        markLayer.append(marks.get(name));
      }
      for (const [name, element] of marks) element.classList.toggle("taken", !seen.marks.has(name));
      for (const [seat, { element }] of pieces) element.toggleAttribute("hidden", !seen.pieces.has(seat));
      for (const [seat, { cell, style }] of seen.pieces) {
        const { element, face, trail: line } = piece(seat, style);
        const along = trail.get(seat) ?? [];
        [element.dataset.x, element.dataset.y] = cell;
        const begin = current?.pieces.has(seat) && milliseconds ? [spot(seat, current.pieces)] : [];
        walk(element, [...begin, ...spots(ways.get(seat) ?? [], spot(seat, seen.pieces))], milliseconds);
        if (along.length > 1) face.setAttribute("transform", looks.facing(style, [0, 1].map((axis) => along.at(-1)[axis] - along.at(-2)[axis])));
        line.setAttribute("d", along.map((each, index) => `${index ? "L" : "M"}${middle(each).join(" ")}`).join(""));
      }
      svg.setAttribute("aria-label", title);
      current = seen;
    },
  };
};

"use strict";
// How pieces and marks look: the shapes and colours that a game's declaration may name (arena/drawing.py).
// A cell is 10 wide; a piece stands around (0, 0) and is 6 to 7 wide.

const looks = (() => {
  // Okabe and Ito's colours, as in the charts: told apart by colour-blind readers. One side cool, the other warm.
  const NAMED = { red: "#d55e00", orange: "#e69f00", yellow: "#e8a800", green: "#009e73", blue: "#3fa4dd", purple: "#cc79a7" };
  const COLOURS = [["#0072b2", "#56b4e9"], ["#d55e00", "#e69f00"], ["#009e73", "#4fbf9f"], ["#cc79a7", "#e0aac8"]];

  const eyes = (dx = 0) => [-1.15, 1.15].flatMap((x) => [
    draw("ellipse", { cx: x, cy: -0.8, rx: 0.85, ry: 1.05, fill: "#fff" }),
    draw("circle", { cx: x + 0.25 + dx, cy: -0.65, r: 0.48, fill: "#1b2430" }),
  ]);

  const ghost = (colour) => [
    draw("path", { fill: colour, d: "M-3.1 3.3V-.4a3.1 3.1 0 0 1 6.2 0v3.7l-1.03-.95-1.03.95-1.04-.95-1.03.95-1.04-.95z" }),
    ...eyes(),
  ];

  const muncher = () => [
    draw("path", { fill: "#e8a800", d: "M0 0 2.85-1.75A3.35 3.35 0 1 0 2.85 1.75z" }),
    draw("circle", { cx: 0.35, cy: -1.75, r: 0.5, fill: "#1b2430" }),
  ];

  const explorer = () => [
    draw("circle", { r: 2.7, cy: 0.6, fill: "#f2c79b" }),
    draw("path", { fill: "#1583c7", d: "M-3.9-.35c0-.75 1-.9 1.5-1C-2.2-3.3-1-3.5 0-3.5s2.2.2 2.4 2.15c.5.1 1.5.25 1.5 1z" }),
    draw("path", { fill: "#0d5a8c", d: "M-2.5-1.2h5l.08.85h-5.16z" }),
    draw("circle", { cx: -0.95, cy: 0.95, r: 0.42, fill: "#1b2430" }),
    draw("circle", { cx: 0.95, cy: 0.95, r: 0.42, fill: "#1b2430" }),
  ];

  const mummy = () => [
    draw("circle", { r: 3.25, fill: "#e9dfc8", stroke: "#b0a17c", "stroke-width": 0.35 }),
    draw("path", { stroke: "#b0a17c", "stroke-width": 0.4, fill: "none", d: "M-2.6-2Q0-.9 2.5-2.1M-3.1 1.1Q0 2.2 3.1.9M-2.2 2.4Q0 3.1 2.3 2.3M-1.9-2.7Q0-1.9 1.4-2.95" }),
    draw("path", { fill: "#2c2a26", d: "M-3.1-.9Q0 .1 3.1-.9L3.2.6Q0 1.5-3.2.6z" }),
    draw("circle", { cx: -1.15, cy: 0.15, r: 0.55, fill: "#ff8a3d" }),
    draw("circle", { cx: 1.15, cy: 0.15, r: 0.55, fill: "#ff8a3d" }),
  ];

  const named = (item, role) => NAMED[item?.colour === "ROLE" ? role : item?.colour];
  /** The declaration of how a role looks: its piece, or else the discs that it owns; undefined when there is none. */
  const itemOf = (board, seat) => board.drawing[board.looks[seat]];

  /** The colour of a role: the declared one, or its side's hue in its own shade. */
  function colour(board, seat) {
    const own = named(itemOf(board, seat), board.roles[seat]);
    if (own) return own;
    const side = Math.max(0, board.sides.findIndex((roles) => roles.includes(seat)));
    const shades = COLOURS[side % COLOURS.length];
    return shades[Math.max(0, board.sides[side]?.indexOf(seat) ?? 0) % shades.length];
  }

  const text = (words, attributes) => draw("text", { y: 0.15, "font-size": 4.2, "font-weight": 700, "text-anchor": "middle", "dominant-baseline": "central", ...attributes }, words);
  const disc = (fill, sign) => [draw("circle", { r: 3.2, fill }), sign ? text(sign, { class: "letter", fill: "#fff" }) : null];

  const door = () => [
    draw("rect", { class: "exit", x: -4, y: -4, width: 8, height: 8, rx: 1.4 }),
    draw("path", { class: "door", d: "M-1.9 2.6v-3.1a1.9 1.9 0 0 1 3.8 0v3.1z" }),
  ];

  // A shape is drawn in a colour, a disc with a sign. `trail` is the colour of shapes that have their own.
  const SHAPES = {
    disc: { paint: disc },
    dot: { paint: (fill) => [draw("circle", { class: fill ? null : "pellet", r: 1.05, fill })] },
    square: { paint: (fill) => [draw("rect", { x: -4.6, y: -4.6, width: 9.2, height: 9.2, rx: 1, fill, opacity: 0.5 })] },
    door: { paint: door },
    ghost: { paint: ghost },
    muncher: { paint: muncher, trail: "#e8a800", turned: true },
    explorer: { paint: explorer, trail: "#3f9bd8" },
    mummy: { paint: mummy, trail: "#b0a17c" },
  };
  const shapeOf = (item) => (Object.hasOwn(SHAPES, item?.shape ?? "") ? SHAPES[item.shape] : SHAPES.disc);
  const lookOf = (board, seat) => shapeOf(itemOf(board, seat));
  const shape = (board, seat) => lookOf(board, seat).paint(colour(board, seat), board.letters[seat] ?? "?");

  // Who has a mouth turns it to where it goes; a ghost or a hat upside down would only look odd.
  const TURNED = { "1 0": "", "-1 0": "scale(-1 1)", "0 1": "rotate(-90)", "0 -1": "rotate(90)" };

  return {
    shape,
    /** A mark; `seat` is that of the role that its fact names, -1 for none, and `words` what stands in the cell. */
    mark(board, item, seat, words) {
      const fill = named(item, board.roles[seat]) ?? (seat >= 0 ? colour(board, seat) : undefined);
      if (item.sign === "TEXT") return [text(words, { class: "words", fill })];
      return shapeOf(item).paint(fill, item.sign === "ROLE" && seat >= 0 ? board.letters[seat] : "");
    },
    /** The transform of a role's drawing that goes this way; "" for those that look the same. */
    facing: (board, seat, step) => (lookOf(board, seat).turned ? TURNED[step.join(" ")] ?? "" : ""),
    /** The colour that marks where a role went. */
    trail: (board, seat) => lookOf(board, seat).trail ?? colour(board, seat),
    /** A small picture of a role, for a line of text. */
    icon: (board, seat) => draw("svg", { viewBox: "-4.2 -4.2 8.4 8.4", "aria-hidden": "true" }, shape(board, seat)),
  };
})();

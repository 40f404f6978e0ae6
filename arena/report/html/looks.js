"use strict";
// How a character looks: a disc with a letter in a colour of its own, or a drawing for the roles of the shipped games.
// A cell is 10 wide; a character stands around (0, 0) and is 6 to 7 wide.

const looks = (() => {
  // Okabe and Ito's colours, as in the charts: told apart by colour-blind readers. One side cool, the other warm.
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

  // Roles that have a drawing; every other role of every other game is a disc.
  const DRAWN = { explorer, mummy, pacman: muncher, blinky: () => ghost("#d55e00"), inky: () => ghost("#3fa4dd") };

  /** The colour of a role: its side's hue, its own shade. */
  function colour(board, seat) {
    const side = Math.max(0, board.sides.findIndex((roles) => roles.includes(seat)));
    const shades = COLOURS[side % COLOURS.length];
    return shades[Math.max(0, board.sides[side]?.indexOf(seat) ?? 0) % shades.length];
  }

  /** The first letter of a role that no role before it has. */
  function letter(board, seat) {
    const taken = [];
    for (const role of board.roles) {
      const free = [..."" + role.toUpperCase(), ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"].find((sign) => /[A-Z0-9]/.test(sign) && !taken.includes(sign));
      taken.push(free ?? "?");
    }
    return taken[seat] ?? "?";
  }

  function disc(board, seat) {
    return [
      draw("circle", { r: 3.2, fill: colour(board, seat) }),
      draw("text", { class: "letter", y: 0.15, "font-size": 4.2, "font-weight": 700, fill: "#fff", "text-anchor": "middle", "dominant-baseline": "central" }, letter(board, seat)),
    ];
  }

  const shape = (board, seat) => (Object.hasOwn(DRAWN, board.roles[seat]) ? DRAWN[board.roles[seat]]() : disc(board, seat));
  const TRAILS = { explorer: "#3f9bd8", mummy: "#b0a17c", pacman: "#e8a800", blinky: "#d55e00", inky: "#3fa4dd" };

  // Who has a mouth turns it to where it goes; a ghost or a hat upside down would only look odd.
  const TURNED = { "1 0": "", "-1 0": "scale(-1 1)", "0 1": "rotate(-90)", "0 -1": "rotate(90)" };

  return {
    shape,
    /** The transform of a role's drawing that goes this way; "" for those that look the same. */
    facing: (board, seat, step) => (board.roles[seat] === "pacman" ? TURNED[step.join(" ")] ?? "" : ""),
    /** The colour that marks where a role went. */
    trail: (board, seat) => (Object.hasOwn(TRAILS, board.roles[seat]) ? TRAILS[board.roles[seat]] : colour(board, seat)),
    /** A small picture of a role, for a line of text. */
    icon: (board, seat) => draw("svg", { viewBox: "-4.2 -4.2 8.4 8.4", "aria-hidden": "true" }, shape(board, seat)),
  };
})();

"use strict";
// Draws the elements of styles, which Python made (arena/replay/drawing/shapes.py). A cell is 10 wide.

const looks = (() => {
  const TURNED = { "1 0": "", "-1 0": "scale(-1 1)", "0 1": "rotate(-90)", "0 -1": "rotate(90)" };

  /** The elements of a style; a text without words of its own shows these. */
  const shape = (style, text = "?") => style.elements.map(([tag, { words, ...attributes }]) =>
    draw(tag, attributes, tag === "text" ? words ?? text : null));

  return {
    shape,
    /** The transform of a piece that goes this way; "" for those that look the same. */
    facing: (style, step) => (style.turned ? TURNED[step.join(" ")] ?? "" : ""),
    /** A small picture of a role, for a line of text. */
    icon: (board, seat) => draw("svg", { viewBox: "-4.2 -4.2 8.4 8.4", "aria-hidden": "true" }, shape(board.icons[seat])),
  };
})();

"use strict";
// The chance to win of each side, turn by turn, as Python computed it (replay/chances.py), and the turns in which it broke.

const chances = (() => {
  const HEIGHT = 100; // per cent

  /** The chances of all sides in each scene; of two sides the file has one, as they add up to 100. */
  const linesOf = ({ lines }) => (lines.length === 1 ? [lines[0], lines[0].map((chance) => HEIGHT - chance)] : lines);

  /** The area between two lines, `x` from 0 to the number of turns, growing upwards. */
  const area = (below, above, fill) => draw("path", { fill, opacity: 0.75,
    d: `M${above.map((y, x) => `${x} ${HEIGHT - y}`).join("L")}L${below.map((y, x) => `${x} ${HEIGHT - y}`).reverse().join("L")}Z` });

  /**
   * The chart, a panel with the breaks, `show` for the turn that is shown, and `next` for the break before or after it.
   * `go` goes to a turn.
   */
  function open(match, record, go) {
    if (!record.chances || record.chances.lines[0].length < 2) return null;
    const { basis, estimate, breaks } = record.chances;
    const { board } = match;
    const lines = linesOf(record.chances);
    const last = lines[0].length - 1;
    const name = (side) => board.sides[side].map((seat) => board.roles[seat]).join(" and ");
    const stacked = lines.map((_, side) => lines[0].map((_, turn) => lines.slice(0, side + 1).reduce((sum, line) => sum + line[turn], 0)));
    const cursor = draw("line", { class: "cursor", y1: 0, y2: HEIGHT });
    const svg = draw("svg", { viewBox: `0 0 ${last} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
      "aria-label": `Chance to win of ${lines.map((line, side) => `${name(side)}: ${line[0]} % at the start, ${line[last]} % at the end`).join("; ")}` },
      stacked.map((above, side) => area(side ? stacked[side - 1] : above.map(() => 0), above, board.icons[board.sides[side][0]].trail)),
      draw("line", { class: "half", x1: 0, x2: last, y1: HEIGHT / 2, y2: HEIGHT / 2 }), cursor);
    const marks = breaks.map(([turn, sentence]) => {
      const mark = make("button", { type: "button", class: "break", tabindex: "-1", title: sentence, "aria-hidden": "true", onclick: (event) => { event.stopPropagation(); go(turn); } });
      mark.style.left = `${(100 * turn) / last}%`;
      return mark;
    });
    const plot = make("div", { class: "plot", onclick: (event) => {
      const { left, width } = svg.getBoundingClientRect();
      go(Math.round(((event.clientX - left) / width) * last));
    } }, svg, marks);
    const figures = make("span", { class: "figures" });
    const buttons = breaks.map(([turn, sentence]) => make("button", { type: "button", onclick: () => go(turn) }, sentence));
    return {
      chart: make("figure", { class: "chances" }, make("figcaption", {}, make("span", {}, `Chance to win (${estimate ? "estimate" : "exact"})`), figures), plot),
      panel: make("div", { class: "panel" }, make("h3", {}, "Chance to win"), make("div", { class: "breaks" }, make("p", { class: "note" }, basis),
        buttons.length ? make("ol", { "aria-label": "Turns that changed the chance by much" }, buttons.map((button) => make("li", {}, button))) : make("p", { class: "note" }, "No turn changed the chance by much."))),
      show(turn) {
        for (const [end, value] of [["x1", turn], ["x2", turn]]) cursor.setAttribute(end, value);
        figures.replaceChildren(...lines.map((line, side) => make("span", {}, looks.icon(board, board.sides[side][0]), make("span", { class: "unseen" }, `${name(side)} `), `${line[turn]} %`)));
        buttons.forEach((button, index) => button.toggleAttribute("aria-current", breaks[index][0] === turn));
      },
      /** The turn of the next break, or of the one before; this turn when there is none. */
      next(turn, by) {
        const turns = breaks.map(([each]) => each);
        return (by > 0 ? turns.find((each) => each > turn) : turns.findLast((each) => each < turn)) ?? turn;
      },
    };
  }

  return { open };
})();

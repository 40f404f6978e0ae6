// Goofspiel as a table: each prize with both bids in one row, the points as bars. docs/viewers.md says how it is called.

let scene, paint, ink, colours;

/** The words behind the beginning of a fact, as in `hand left 1 2 3`. */
const words = (facts, start) => facts.find((fact) => `${fact} `.startsWith(`${start} `))?.slice(start.length + 1) ?? "";

function mount(element, given) {
  scene = given;
  ink = scene.dark ? "#e7eaee" : "#22262b";
  colours = scene.dark ? ["#6cc0f0", "#ff9152"] : ["#0072b2", "#d55e00"];
  [element.width, element.height] = [800, 600];
  paint = element.getContext("2d");
}

function text(string, x, y, { size = 24, align = "center", colour = ink } = {}) {
  Object.assign(paint, { font: `${size}px sans-serif`, textAlign: align, textBaseline: "middle", fillStyle: colour });
  paint.fillText(string, x, y);
}

/** What was bid for each prize until a turn: `[prize, left, right]`; bids that are still to come are missing. */
function rounds(turn) {
  const found = [];
  for (const { moves } of scene.turns.slice(1, turn + 1)) {
    if (moves[0].role === "chance") found.push([moves[0].move.split(" ")[1]]);
    else for (const { role, move } of moves) found.at(-1)[1 + scene.roles.indexOf(role)] = move.split(" ")[1];
  }
  return found;
}

function render(turn) {
  const { facts } = scene.turns[turn];
  const points = scene.roles.map((role) => Number(words(facts, `points ${role}`)));
  const cards = Number(words(scene.facts, "cards"));
  const all = (cards * (cards + 1)) / 2;
  paint.clearRect(0, 0, 800, 600);
  scene.roles.forEach((role, seat) => {
    const x = seat ? 600 : 200;
    text(scene.bots[seat].slice(0, 24), x, 30, { size: 28, colour: colours[seat] });
    paint.fillStyle = colours[seat];
    paint.fillRect(seat ? 410 : 390 - (380 * points[seat]) / all, 55, (380 * points[seat]) / all, 22);
    text(`${points[seat]} points`, x, 98);
    text(`hand: ${words(facts, `hand ${role}`) || "empty"}`, x, 575, { size: 22 });
  });
  rounds(turn).forEach(([prize, ...bids], round) => {
    const y = 140 + round * Math.min(60, 410 / cards);
    text(prize, 400, y, { size: 26 });
    bids.forEach((bid, seat) => {
      const won = Number(bid) > Number(bids[1 - seat]);
      text(bid, seat ? 500 : 300, y, { size: won ? 30 : 22, colour: won ? colours[seat] : undefined });
    });
  });
}

function unmount() {
  paint = null;
}

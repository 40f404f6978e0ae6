// A bot that plays any game: dice over the legal moves. Nothing but stdin and stdout.
"use strict";

let state = []; // what this role may see, one fact a line: "at explorer 8 1"
let legal = []; // every legal move, as it must be printed
let seed = 1;

// Your idea goes here: return one of the legal moves.
function choose() {
  return legal[dice(legal.length)];
}

// A number below `sides`; the same in a rerun (mulberry32).
function dice(sides) {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) % sides;
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [word] = line.trim().split(" ", 1);
  const rest = line.trim().slice(word.length + 1);
  if (word === "seed") seed = Number(rest);
  else if (word === "ready?") console.log("ready");
  else if (word === "turn") { state = []; legal = []; } // a new question: its state and its moves follow
  else if (word === "state") state.push(rest);
  else if (word === "legal") legal.push(rest);
  else if (word === "go") console.log(choose());
  else if (word === "end") process.exit(0); // the match is over
});

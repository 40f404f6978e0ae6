// Throws in another language.
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  if (line === "ready?") console.log("ready");
  else if (line.startsWith("go")) throw new Error("not in JavaScript either");
});

"use strict";
// The data of this file: what the first block says, and replays that are unpacked when somebody looks at them.

const file = (() => {
  const chunks = new Map();

  async function unpacked(number) {
    const text = document.getElementsByClassName("chunk")[number].textContent;
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  return {
    values: () => JSON.parse(document.getElementById("data").textContent),
    /** The replay of a match; null when it is not in this file. */
    async replay(row) {
      const number = report.matches.replay[row];
      if (number < 0) return null;
      if (!chunks.has(number)) chunks.set(number, unpacked(number));
      return (await chunks.get(number))[report.matches.id[row]];
    },
  };
})();

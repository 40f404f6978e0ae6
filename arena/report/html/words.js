"use strict";
// Numbers and names as a reader wants them.

const words = {
  /** 1 match, 2 matches, 1,234 matches. */
  count: (number, singular, plural = `${singular}s`) => `${number.toLocaleString("en")} ${number === 1 ? singular : plural}`,

  /** A mean score, without a decimal that says nothing. */
  score: (value) => String(Number(value.toFixed(1))),

  /** Seconds in the unit that fits. */
  seconds(value) {
    if (value === null || value === undefined) return "";
    if (value >= 1) return `${value.toFixed(value < 10 ? 2 : 1)} s`;
    const [figure, unit] = value >= 0.001 ? [value * 1e3, "ms"] : [value * 1e6, "µs"];
    return `${figure.toFixed(figure < 10 ? 1 : 0)} ${unit}`;
  },

  /** Whole milliseconds. */
  took: (milliseconds) => (milliseconds >= 10_000 ? words.seconds(milliseconds / 1000) : milliseconds ? `${milliseconds} ms` : "<1 ms"),

  /** A command with its words as a shell wants them; names may be anybody's. */
  command: (...parts) => parts.map((part) => (/^[\w@%+=:,./-]+$/.test(part) ? part : `'${part.replaceAll("'", "'\\''")}'`)).join(" "),

  /** `illegal_move` as two words. */
  plain: (name) => name.replaceAll("_", " "),
};

"use strict";
// A table that is sorted by clicking on its heads. A cell's `data-key` is what it is sorted by.

const sorting = (() => {
  const keyOf = (row, column) => {
    const key = row.cells[column].dataset.key ?? row.cells[column].textContent;
    return key === "" ? null : Number.isNaN(Number(key)) ? key : Number(key);
  };

  // What is missing comes last, either way round.
  function compare(left, right, sign) {
    if (left === null || right === null) return (left === null) - (right === null);
    if (typeof left === "number" && typeof right === "number") return sign * (left - right);
    return sign * String(left).localeCompare(String(right));
  }

  // The first column is the rank, which bots have by group; every other figure is compared across groups, so that their
  // headings (`.part`) are hidden.
  function sort(table, column, sign) {
    const bodies = [...table.tBodies].filter((body) => !body.classList.contains("part"));
    const rows = bodies.flatMap((body) => [...body.rows].map((row) => {
      row.home ??= body;
      return [keyOf(row, column), row];
    }));
    rows.sort(([left], [right]) => compare(left, right, sign));
    for (const [, row] of rows) (column === 0 ? row.home : bodies[0]).append(row);
    table.classList.toggle("ungrouped", column !== 0);
    [...table.tHead.rows[0].cells].forEach((head, index) =>
      head.setAttribute("aria-sort", index !== column ? "none" : sign > 0 ? "ascending" : "descending"));
  }

  return {
    /** Make the heads buttons; figures are sorted highest first, names and ranks (`up`) lowest first. */
    enable(table, up) {
      [...table.tHead.rows[0].cells].forEach((head, column) => {
        const label = head.textContent;
        const press = () => {
          const first = up.includes(head.dataset.name) ? 1 : -1;
          const now = head.getAttribute("aria-sort");
          const sign = now === "ascending" ? -1 : now === "descending" ? 1 : first;
          sort(table, column, sign);
          table.dispatchEvent(new CustomEvent("sorted", { detail: head.dataset.name }));
        };
        head.setAttribute("aria-sort", "none");
        head.replaceChildren(make("button", { type: "button", onclick: press }, label));
      });
    },
  };
})();

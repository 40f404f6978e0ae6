"use strict";
// The leaderboard: its table is in the page already; here it learns to be sorted and searched.

const leaderboard = (() => {
  function search(rows, wanted) {
    const matching = rows.filter((row) => {
      row.hidden = !row.cells[1].textContent.toLowerCase().includes(wanted.trim().toLowerCase());
      return !row.hidden;
    });
    byId("leaderboard-count").textContent =
      matching.length === rows.length ? words.count(rows.length, "bot") : `${matching.length} of ${words.count(rows.length, "bot")}`;
  }

  // Lines between tiers mean something in the order of rank only.
  function tiers(rows) {
    rows.forEach((row, index) =>
      row.classList.toggle("new-tier", index > 0 && row.dataset.tier !== rows[index - 1].dataset.tier));
  }

  // A phone has room for what ranks a bot; `All columns` shows the others too.
  function narrow(table) {
    const narrowColumns = new Set(["rank", "bot", "rating", "range", "points"]);
    [...table.tHead.rows[0].cells].forEach((head, index) => {
      if (narrowColumns.has(head.dataset.name)) return;
      for (const row of table.rows) if (row.cells.length > 1) row.cells[index].classList.add("wide-only");
    });
  }

  return {
    start() {
      const table = byId("leaderboard-table");
      narrow(table);
      const rows = [...table.querySelectorAll("tbody:not(.part) tr")];
      const name = [...table.tHead.rows[0].cells].findIndex((head) => head.dataset.name === "bot");
      console.assert(name === 1, "the bot's column is the second");
      sorting.enable(table, ["rank", "bot", "ranks", "tier"]);
      table.tHead.rows[0].cells[0].setAttribute("aria-sort", "ascending");
      table.querySelectorAll("td.plain").forEach((cell) => cell.classList.toggle("zero", cell.dataset.key === "0"));
      tiers(rows);
      table.addEventListener("sorted", (event) => {
        const order = [...table.querySelectorAll("tbody:not(.part) tr")];
        if (event.detail === "rank") tiers(order);
        else order.forEach((row) => row.classList.remove("new-tier"));
      });
      byId("leaderboard-tools").hidden = false;
      byId("leaderboard-search").addEventListener("input", (event) => search(rows, event.target.value));
      byId("leaderboard-all").addEventListener("change", (event) => table.classList.toggle("all", event.target.checked));
      search(rows, "");
    },
    show() {},
  };
})();

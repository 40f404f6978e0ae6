"use strict";
// The leaderboard: its table is in the page already; here it learns to be sorted and searched.

const leaderboard = (() => {
  function search(rows, wanted) {
    const found = rows.filter((row) => {
      row.hidden = !row.cells[1].textContent.toLowerCase().includes(wanted.trim().toLowerCase());
      return !row.hidden;
    });
    byId("leaderboard-count").textContent =
      found.length === rows.length ? words.count(rows.length, "bot") : `${found.length} of ${words.count(rows.length, "bot")}`;
  }

  // Lines between tiers mean something in the order of rank only.
  function tiers(rows) {
    rows.forEach((row, place) =>
      row.classList.toggle("new-tier", place > 0 && row.dataset.tier !== rows[place - 1].dataset.tier));
  }

  return {
    start() {
      const table = byId("leaderboard-table");
      const rows = [...table.tBodies[0].rows];
      const name = [...table.tHead.rows[0].cells].findIndex((head) => head.dataset.name === "bot");
      console.assert(name === 1, "the bot's column is the second");
      sorting.enable(table, ["rank", "bot", "ranks", "tier"]);
      table.tHead.rows[0].cells[0].setAttribute("aria-sort", "ascending");
      table.querySelectorAll("td.plain").forEach((cell) => cell.classList.toggle("zero", cell.dataset.key === "0"));
      tiers(rows);
      table.addEventListener("sorted", (event) => {
        const order = [...table.tBodies[0].rows];
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

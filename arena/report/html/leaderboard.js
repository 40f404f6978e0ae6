"use strict";
// The leaderboards, one a game: their tables are in the page already; here they learn to be sorted and searched.

const leaderboard = (() => {
  const rowsOf = (table) => [...table.querySelectorAll("tbody:not(.part) tr")];

  /** Hide what does not fit, and the headings of groups and tables in which nothing is left. */
  function search(tables, wanted) {
    const [all, found] = [new Set(), new Set()];
    for (const table of tables) {
      for (const row of rowsOf(table)) {
        const name = row.cells[1].textContent;
        row.hidden = !name.toLowerCase().includes(wanted.trim().toLowerCase());
        all.add(name);
        if (!row.hidden) found.add(name);
      }
      for (const part of table.querySelectorAll("tbody.part")) part.hidden = [...part.nextElementSibling.rows].every((row) => row.hidden);
      table.closest(".league").hidden = rowsOf(table).every((row) => row.hidden);
    }
    byId("leaderboard-count").textContent =
      found.size === all.size ? words.count(all.size, "bot") : `${found.size} of ${words.count(all.size, "bot")}`;
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

  function enable(table) {
    narrow(table);
    sorting.enable(table, ["rank", "bot", "ranks", "tier"]);
    table.tHead.rows[0].cells[0].setAttribute("aria-sort", "ascending");
    table.querySelectorAll("td.plain").forEach((cell) => cell.classList.toggle("zero", cell.dataset.key === "0"));
    tiers(rowsOf(table));
    table.addEventListener("sorted", (event) => {
      if (event.detail === "rank") tiers(rowsOf(table));
      else rowsOf(table).forEach((row) => row.classList.remove("new-tier"));
    });
  }

  return {
    tables: () => [...document.querySelectorAll("table.leaderboard")],
    start() {
      const tables = leaderboard.tables();
      tables.forEach(enable);
      byId("leaderboard-tools").hidden = false;
      byId("leaderboard-search").addEventListener("input", (event) => search(tables, event.target.value));
      byId("leaderboard-all").addEventListener("change", (event) => tables.forEach((table) => table.classList.toggle("all", event.target.checked)));
      search(tables, "");
    },
  };
})();

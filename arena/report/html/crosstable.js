"use strict";
// Who does how well against whom, board by board, a table for each role; a cell opens the matches behind it.

const crosstable = (() => {
  const HOT = 55; // from here on a cell's colour wants the other ink
  const MANY = 9; // with more bots the cells are smaller

  /** The boards on which bots met, by number. */
  const met = () => report.boards.map((board, number) => ({ board, number }))
    .filter(({ number }) => report.crosstable.some(([board]) => board === number));

  function chips(all, chosen) {
    return make("nav", { class: "chips", "aria-label": "Board" }, all.map((item) =>
      make("a", { href: route.to("crosstable", { board: item.board.label }), "aria-current": item === chosen ? "true" : null }, item.board.label)));
  }

  function cell(board, seat, bot, opponent, figures) {
    if (!figures) return bot === opponent ? make("td", { class: "itself" }) : make("td", { class: "unmet", title: "never met" }, "\u2013");
    const [count, score] = figures;
    const [name, rival, role] = [report.bots[bot], report.bots[opponent], board.roles[seat]];
    const description = `${name} as ${role} against ${rival}: ${words.score(score)} in ${words.count(count, "match", "matches")}`;
    const link = make("a", {
      href: route.to("matches", { board: board.label, role, bot: name, opponent: rival }),
      class: score >= HOT ? "hot" : null, title: description, "aria-label": description,
    }, score.toFixed(0));
    link.style.setProperty("--heat", score);
    return make("td", {}, link);
  }

  function mean(scores) {
    return (scores.reduce((sum, score) => sum + score, 0) / scores.length).toFixed(1);
  }

  function table({ board, number }, seat) {
    const cells = new Map(report.crosstable.filter(([boardNumber, role]) => boardNumber === number && role === seat)
      .map(([, , bot, opponent, count, score]) => [`${bot}/${opponent}`, [count, score]]));
    const order = report.orders[number];
    const ordered = (side) => [...new Set([...cells.keys()].map((key) => Number(key.split("/")[side])))].sort((left, right) => order.indexOf(left) - order.indexOf(right));
    const [rows, columns] = [ordered(0), ordered(1)];
    const name = (bot) => make("a", { href: route.bot(report.bots[bot]), title: report.bots[bot] }, report.labels[bot]);
    const row = (bot) => {
      const cellsOfRow = columns.map((opponent) => cells.get(`${bot}/${opponent}`));
      return make("tr", {}, make("th", { scope: "row" }, name(bot)),
        columns.map((opponent, index) => cell(board, seat, bot, opponent, cellsOfRow[index])),
        make("td", { class: "mean" }, mean(cellsOfRow.filter(Boolean).map(([, score]) => score))));
    };
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `As ${board.roles[seat]}` },
      make("table", { class: `grid cross${columns.length > MANY ? " many" : ""}` },
        make("caption", {}, looks.icon(board, seat), `as ${board.roles[seat]}`),
        make("thead", {}, make("tr", {}, make("td", { class: "itself" }),
          columns.map((bot) => make("th", { scope: "col" }, name(bot))), make("th", { scope: "col" }, "mean"))),
        make("tbody", {}, rows.map(row))));
  }

  return {
    show(values) {
      const all = met();
      const chosen = all.find((item) => item.board.label === values.get("board")) ?? all[0];
      byId("crosstable-content").replaceChildren(...(chosen ? [
        chips(all, chosen),
        make("div", { class: "crosses" }, chosen.board.roles.map((_, seat) => table(chosen, seat))),
        make("p", { class: "scale" }, "Mean score", make("span", {}, "0"), make("i"), make("span", {}, "100")),
        make("p", { class: "note" }, "A cell is about the bot in its row, in the role of the table, against the bot in its column. Open a cell to see its matches."),
      ] : [make("p", { class: "empty" }, "No two bots have met yet.")]));
    },
  };
})();

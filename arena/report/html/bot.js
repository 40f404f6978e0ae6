"use strict";
// A bot's page: its faults in words, how strong in which role, its best and worst matches, its lessons, its time.

const bot = (() => {
  const MEASURES = ["rank", "points", "rating", "ranks", "matches", "won", "drawn", "lost", "forfeits"];

  /** The figures of its row in each leaderboard. */
  function numbers(name) {
    return leaderboard.tables().map((table) => {
      const heads = [...table.tHead.rows[0].cells];
      const row = [...table.querySelectorAll("tbody:not(.part) tr")].find((line) => line.cells[1].textContent === name);
      return row ? [make("p", { class: "game" }, table.dataset.title), make("dl", { class: "numbers" }, MEASURES.map((measure) => {
        const column = heads.findIndex((head) => head.dataset.name === measure);
        const text = column < 0 ? "" : row.cells[column].textContent;
        return text ? make("div", {}, make("dt", {}, measure), make("dd", {}, text)) : null;
      }))] : [];
    }).flat();
  }

  /** A strength with its interval, beside the average bot's; nothing where there is none. */
  function interval([, , , , value, low, high, text, range], { low: least, high: most, average }) {
    if (value === undefined) return make("dd");
    const at = (figure) => 2 + (96 * (figure - least)) / (most - least || 1);
    const description = `Strength ${text}, 95 % interval ${range}`;
    const [begin, end] = [low === null ? 0 : at(low), high === null ? 100 : at(high)]; // an open end goes to the edge
    return make("dd", { class: "interval", title: description },
      draw("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
        draw("rect", { class: "rail", y: 4.6, width: 100, height: 0.8 }), draw("rect", { class: "field", x: at(average) - 0.25, width: 0.5, height: 10 }),
        draw("rect", { class: "range", x: begin, y: 2.5, width: end - begin, height: 5 }), draw("rect", { class: "dot", x: at(value) - 0.8, y: 1, width: 1.6, height: 8 })),
      make("span", { "aria-hidden": "true" }, text), make("span", { class: "unseen" }, description));
  }

  function strength(row) {
    const [number, seat, mean, field] = row;
    const board = report.boards[number];
    const description = `${words.score(mean)}; all bots ${words.score(field)}`;
    return make("div", {},
      make("dt", { class: "seat" }, looks.icon(board, seat), `${board.label} · ${board.roles[seat]}`),
      make("dd", { title: description }, draw("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
        draw("rect", { class: "rail", width: 100, height: 10 }), draw("rect", { width: mean, height: 10 }),
        draw("rect", { class: "field", x: Math.min(99.4, field), width: 0.6, y: 0, height: 10 }))),
      make("dd", { class: "figure" }, words.score(mean), make("span", { class: "unseen" }, ` (all bots: ${words.score(field)})`)),
      interval(row, report.reach));
  }

  function matchCard(id) {
    const row = data.rowOf(id);
    if (row === undefined) return null;
    const match = data.match(row);
    return make("li", {},
      make("div", { class: "card-head" }, make("span", {}, match.board.label), make("span", {}, `${match.reason}, ${words.count(match.turns, "turn")}`),
        make("a", { href: route.match(id) }, match.hasReplay ? "Replay" : "Details")),
      match.seats.map((seat) => matches.seatLine(match, seat)));
  }

  const cards = (title, ids) => make("section", {}, make("h3", {}, title),
    ids.length ? make("ul", { class: "cards" }, ids.map(matchCard)) : make("p", { class: "note" }, "None."));

  function faultCard(fault, name) {
    const row = data.rowOf(fault.match);
    const where = fault.places.map(([number, seat, count]) =>
      `${report.boards[number].label} · ${report.boards[number].roles[seat]}${count > 1 ? ` × ${count}` : ""}`).join(", ");
    return make("li", {},
      make("div", { class: "card-head" },
        make("strong", { class: "ending" }, `${words.plain(fault.ending)}${fault.count > 1 ? ` × ${fault.count}` : ""}`),
        make("span", {}, where),
        row === undefined ? null : make("a", { href: route.match(fault.match, fault.turn) }, fault.turn ? `Show turn ${fault.turn}` : "Show")),
      make("p", { class: "words" }, fault.words),
      make("p", { class: "words" }, make("b", {}, "To mend it: "), fault.advice),
      commands.list(fault.match, name, fault.turn),
      fault.stderr.length ? make("pre", { tabindex: "0", "aria-label": "The last lines of its stderr" }, fault.stderr.join("\n")) : null);
  }

  /** A position in which the bot threw points away; the board comes with the replay of the match, where this file has it. */
  function lessonCard(lesson) {
    const row = data.rowOf(lesson.match);
    const [board, role] = [report.boards[lesson.board], report.boards[lesson.board].roles[lesson.role]];
    const picture = make("div", { class: "position" });
    const fork = commands.fork(lesson.match);
    fork.to(lesson.turn - 1);
    if (row !== undefined) {
      data.replay(row).then((record) => { if (record) picture.replaceChildren(...replay.before(data.match(row), record, lesson.turn)); })
        .catch((error) => picture.replaceChildren(make("p", { class: "note" }, `The board could not be unpacked: ${error.message}.`)));
    }
    return make("li", { class: "lesson" },
      make("div", { class: "card-head" },
        make("strong", { class: "ending" }, lesson.verdict), make("span", { class: "seat" }, looks.icon(board, lesson.role), `${board.label} · ${role}`),
        row === undefined ? null : make("a", { href: route.match(lesson.match, lesson.turn) }, `Show turn ${lesson.turn}`)),
      make("div", { class: "beside" }, picture, make("div", {},
        make("dl", {}, [["Played", lesson.played], ["Good", lesson.good.join(", ")], ["Then", lesson.then]].map(([name, text]) =>
          make("div", {}, make("dt", {}, name), make("dd", { class: "words" }, text)))),
        fork.list)));
  }

  /** A table that scrolls by itself; the first cell of a row is its head. */
  const table = (label, heads, rows) => make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    make("table", { class: `grid ${label.toLowerCase()}` },
      make("thead", {}, make("tr", {}, heads.map((head, column) => make("th", { scope: "col", class: column ? null : "words" }, head)))),
      make("tbody", {}, rows.map(([name, ...figures]) => make("tr", {}, make("th", { scope: "row" }, name), figures.map((text) => make("td", {}, text)))))));

  function times(rows) {
    const limit = report.event.move;
    return table("Time", [limit === null ? "No limit a move" : `Limit ${limit} s a move`, ...report.times], rows.map(([number, seat, answers, ...seconds]) =>
      [`${report.boards[number].label} · ${report.boards[number].roles[seat]}`, answers.toLocaleString("en"), ...seconds.map(words.seconds)]));
  }

  return {
    show(values) {
      const wanted = values.get("bot");
      const number = Math.max(report.bots.indexOf(wanted), report.names.indexOf(wanted));
      const [page, name] = [report.pages[number], report.bots[number]];
      byId("bot-title").textContent = page ? name : "There is no such bot";
      byId("bot-content").replaceChildren(...(page ? [
        ...numbers(name),
        make("p", { class: "note" }, make("a", { href: route.to("matches", { bot: name }) }, "All matches of this bot")),
        ...(page.faults.length ? [make("h3", {}, "Faults"), make("ul", { class: "cards" }, page.faults.map((fault) => faultCard(fault, name))),
          make("p", { class: "note" }, make("a", { href: route.to("matches", { bot: name, result: "fault" }) }, "Every match in which the bot was at fault"))] : []),
        make("h3", {}, "Strength by role"),
        page.strengths.length ? make("dl", { class: "strengths" }, page.strengths.map((row) => strength(row))) : make("p", { class: "note" }, "This bot has not played."),
        make("p", { class: "note" }, "Each role has two figures: the mean score from 0 to 100, with a mark at the mean of all bots in that role; and the strength against the average bot, with its 95 % interval."),
        make("div", { class: "pair" }, cards("Best matches", page.best), cards("Worst matches", page.worst)),
        ...(page.versions.length ? [make("h3", {}, "Versions"), table("Versions", ["Version", "Files", "Rank then", "Rating", "95 %", "Matches"], page.versions),
          make("p", { class: "note" }, "The ratings come from all matches that were ever played, and each version counts as a bot of its own. Rank then: the rank among the versions that the other bots had at that time.")] : []),
        ...(page.lessons.length ? [make("h3", {}, "Lessons"), make("ul", { class: "cards" }, page.lessons.map(lessonCard)),
          make("p", { class: "note" }, "Positions in which the bot threw points away, the worst first, each as it was before the move",
            ...(report.commands.includes("lessons") ? ["; ", make("code", {}, words.command("arena", "lessons", report.names[number])),
              " shows more, and writes them as tests"] : []), ".")] : []),
        ...(page.times.length ? [make("h3", {}, "Time"), times(page.times)] : []),
      ] : []));
      return page ? name : null;
    },
  };
})();

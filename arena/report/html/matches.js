"use strict";
// The list of matches, and what it is narrowed down to. The address holds the choice, so that it can be linked to.

const matches = (() => {
  const PAGE = 100; // rows at once: a phone stays quick with ten thousand matches

  const RESULTS = { won: "won by", drawn: "drawn by", lost: "lost by", fault: "at fault" };

  /** Whether a match is wanted. */
  function fits(match, want) {
    if (want.board && match.board.label !== want.board) return false;
    if (want.text && !`${match.id} ${match.reason} ${match.seats.map((seat) => `${seat.bot} ${seat.ending ?? ""}`).join(" ")}`.toLowerCase().includes(want.text)) return false;
    if (want.result === "fault" && !match.seats.some((seat) => seat.ending && (!want.bot || seat.bot === want.bot))) return false;
    if (!want.bot) return true;
    return match.seats.some((seat) =>
      seat.bot === want.bot && (!want.role || seat.role === want.role) && meets(match, seat, want.opponent)
      && (!want.result || want.result === "fault" || outcome(match, seat) === want.result));
  }

  function meets(match, seat, opponent) {
    if (!opponent) return true;
    return match.board.sides.some((side) => !side.includes(seat.seat) && side.some((other) => match.seats[other].bot === opponent));
  }

  function outcome(match, seat) {
    const won = data.won(match, seat.seat);
    return won === null ? "drawn" : won ? "won" : "lost";
  }

  function wanted(want) {
    const rows = [];
    for (let row = 0; row < data.rows; row += 1) {
      const match = data.match(row);
      if (fits(match, want)) rows.push(match);
    }
    return rows;
  }

  /** A seat in one line: who, in which role, how it went. */
  function seatLine(match, seat) {
    return make("span", { class: `seat ${data.won(match, seat.seat) === false ? "lost" : ""}` },
      looks.icon(match.board, seat.seat),
      make("a", { href: route.bot(seat.bot), title: seat.role }, seat.bot),
      make("span", { class: "unseen" }, ` as ${seat.role}`),
      seat.ending ? make("span", { class: "ending" }, words.plain(seat.ending)) : null,
      make("b", { class: "score" }, String(seat.score)));
  }

  function rowOf(match) {
    return make("tr", {},
      make("td", {}, make("div", { class: "seats" }, match.seats.map((seat) => seatLine(match, seat)))),
      make("td", { class: "words aside" }, match.board.label),
      make("td", { class: "words aside" }, match.reason),
      make("td", { class: "aside", "data-label": "turns" }, String(match.turns)),
      make("td", { class: "aside", "data-label": "repeat" }, String(match.repeat)),
      make("td", { class: "words aside" }, make("code", {}, match.id)),
      make("td", { class: "open" }, make("a", { href: route.match(match.id) }, match.hasReplay ? "Replay" : "Details")));
  }

  function table(rows) {
    const body = make("tbody");
    const head = ["Seats and scores", "Board", "Ended", "Turns", "Repeat", "Match", ""];
    const more = make("button", { type: "button", class: "button more" });
    const add = () => {
      body.append(...rows.slice(body.rows.length, body.rows.length + PAGE).map(rowOf));
      const remaining = rows.length - body.rows.length;
      more.hidden = remaining === 0;
      more.textContent = `Show ${Math.min(remaining, PAGE)} more of ${remaining.toLocaleString("en")}`;
    };
    more.addEventListener("click", add);
    add();
    if (!rows.length) return [make("p", { class: "empty" }, "No match is like that.")];
    return [make("table", { class: "grid list" },
      make("caption", { class: "unseen" }, "Matches"),
      make("thead", {}, make("tr", {}, head.map((label, column) =>
        make("th", { scope: "col", class: column === 3 || column === 4 ? null : "words" }, label)))), body), more];
  }

  function choice(label, name, options, want, change) {
    const select = make("select", { name, onchange: (event) => change(name, event.target.value) },
      options.map(([value, text]) => make("option", { value, selected: (want[name] ?? "") === value }, text)));
    return make("label", {}, label, select);
  }

  function tools(want, change, status) {
    const any = (texts, word) => [["", word], ...texts.map((text) => [text, text])];
    const byName = [...report.bots].sort((left, right) => left.localeCompare(right));
    const roles = [...new Set(report.boards.filter((board) => !want.board || board.label === want.board).flatMap((board) => board.roles))];
    const search = make("input", { type: "search", value: want.text ?? "", autocomplete: "off", spellcheck: "false",
      oninput: (event) => change("text", event.target.value.toLowerCase()) });
    return make("div", { class: "tools" },
      make("label", {}, "Search", search),
      choice("Board", "board", any(report.boards.map((board) => board.label), "all"), want, change),
      choice("Bot", "bot", any(byName, "any"), want, change),
      want.bot ? choice("as", "role", any(roles, "any role"), want, change) : null,
      want.bot ? choice("against", "opponent", any(byName, "anyone"), want, change) : null,
      choice("Result", "result", [["", "any"], ...Object.entries(RESULTS)
        .filter(([value]) => want.bot || value === "fault").map(([value, text]) => [value, want.bot ? text.replace(" by", "") : text])], want, change),
      status);
  }

  function show(values) {
    const want = Object.fromEntries([...values].filter(([name, value]) => name !== "matches" && value));
    const status = make("p", { class: "count", role: "status" });
    const list = make("div");
    const refresh = () => {
      const rows = wanted(want);
      status.textContent = `${rows.length.toLocaleString("en")} of ${words.count(report.event.played, "match", "matches")}`;
      list.replaceChildren(...table(rows));
      route.replace(route.to("matches", want));
    };
    const bar = make("div");
    const rebuild = () => bar.replaceChildren(tools(want, change, status));
    function change(name, value) {
      if (value) want[name] = value; else delete want[name];
      if (!want.bot) { delete want.role; delete want.opponent; if (want.result !== "fault") delete want.result; }
      if (name !== "text") { rebuild(); bar.querySelector(`[name="${name}"]`)?.focus(); }
      refresh();
    }
    rebuild();
    refresh();
    byId("matches-content").replaceChildren(bar, missing(), list);
  }

  /** A note on the matches of the event that are not in this file. */
  function missing() {
    const { played, listed } = report.event;
    const replays = report.matches.replay.filter((chunk) => chunk >= 0).length;
    if (replays === played) return "";
    if (report.event.imported && listed === played) return make("p", { class: "note", id: "missing" }, "These matches were imported: only their results are known.");
    if (report.event.imported) return make("p", { class: "note", id: "missing" }, `These matches were imported: only their results are known. Of ${played.toLocaleString("en")} matches ${listed.toLocaleString("en")} are listed.`);
    const listing = listed < played ? `Of ${played.toLocaleString("en")} matches ${listed.toLocaleString("en")} are listed. ` : "";
    return make("p", { class: "note", id: "missing" },
      `${listing}${words.count(replays, "match", "matches")} can be replayed here, the most informative and the newest; the event's archive has them all.`);
  }

  return { show, seatLine, missing };
})();

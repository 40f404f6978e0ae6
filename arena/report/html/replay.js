"use strict";
// The replay viewer of one match: board, controls, moves and remarks, all showing the same turn.

const replay = (() => {
  const SPEEDS = [0.5, 1, 2, 4, 8];
  const TRAIL = 6; // turns whose way stays marked
  const REST_MS = 200; // on a turn, then it is in the address: browsers refuse to change that a hundred times in a row
  const ICONS = {
    first: "M3 3h2v10H3zM13 3v10L6 8z", back: "M11 3v10L4 8z", play: "M4 2.5v11L13 8z",
    pause: "M4 3h3v10H4zM9 3h3v10H9z", next: "M5 3v10l7-5z", last: "M11 3h2v10h-2zM3 3v10l7-5z",
  };
  const sign = (name) => draw("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, draw("path", { d: ICONS[name] }));

  const entryOf = ([number, seat, move, took, remarks = [], by = "bot", refused = null], fates = "", quality = "") =>
    ({ number, seat, move, took, remarks, by: by || "bot", refused, words: move.split(" "), fates, quality });

  /** The moves of each turn, with the words of each and what became of them. */
  function turnsOf(record) {
    const turns = [[]];
    record.moves.forEach((row, index) => {
      const entry = entryOf(row, record.fates?.[index], record.qualities?.[index]);
      if (turns.at(-1).at(-1)?.number === entry.number) turns.at(-1).push(entry);
      else turns.push([entry]);
    });
    return turns;
  }

  const FATES = { b: ["blocked", "stopped by a wall"], n: ["not-made", "not made: the match was over"] };
  const moveWords = (entry) => entry.words.flatMap((word, index) => {
    const [kind, meaning] = FATES[entry.fates[index]] ?? [];
    const shown = kind ? make("span", { class: kind, title: meaning }, word, make("span", { class: "unseen" }, ` (${meaning})`)) : word;
    return index ? [" ", shown] : [shown];
  });

  const roleName = (match, seat) => match.board.roles[seat] ?? String(seat);
  /** The icon of a seat; chance has none. */
  const icon = (match, seat) => (typeof seat === "number" ? looks.icon(match.board, seat) : make("span"));

  /** Anything unusual about who chose a move, and what the move lost where the board is solved. */
  const chosenBy = (entry) => [
    ...(entry.by === "strike"
      ? [make("span", { class: "said" }, entry.refused === null ? " instead of a refused answer, forgiven" : ` instead of “${entry.refused}”, forgiven`)]
      : entry.by === "bot" ? [] : [make("span", { class: "by" }, ` (${entry.by})`)]),
    ...(entry.quality ? [make("span", { class: entry.quality.startsWith("threw") ? "quality blunder" : "quality" }, ` (${entry.quality})`)] : []),
  ];

  function sentence(match, turns, turn, over) {
    if (!turns[turn].length) return [make("span", { class: "turn" }, turn ? "Now" : "Start")]; // only chance, or a secret move
    const parts = turns[turn].map((entry, index) => [index ? ", " : "", `${roleName(match, entry.seat)} `, moveWords(entry), chosenBy(entry)]);
    const of = over === undefined ? "" : ` of ${turns.at(-1)[0].number}`; // of a match that is still played nobody knows
    return [make("span", { class: "turn" }, `Turn ${turns[turn][0].number}${of}`), ...parts,
      turn === turns.length - 1 && over ? make("span", {}, ` — ${over}`) : null];
  }

  function moveList(match, turns, go) {
    const rows = turns.map((moves, turn) => make("li", {}, turn === 0
      ? make("button", { type: "button", tabindex: "-1", onclick: () => go(0) }, make("span", { class: "number" }, "0"), make("span"), make("span", { class: "move" }, "start"))
      : make("button", { type: "button", tabindex: "-1", onclick: () => go(turn) }, moves.map((entry, index) => [
        make("span", { class: "number" }, index ? "" : String(entry.number)),
        icon(match, entry.seat),
        make("span", { class: `move${entry.remarks.length ? " said-so" : ""}` }, moveWords(entry), chosenBy(entry)),
        make("span", { class: "took", title: "time to answer" }, entry.by === "bot" ? words.took(entry.took) : "")]))));
    const list = make("ol", { class: "moves", "aria-label": "Moves" }, rows);
    let marked = null;
    return { list, mark(turn) {
      const focused = marked === document.activeElement;
      marked?.removeAttribute("aria-current");
      marked?.setAttribute("tabindex", "-1");
      marked = rows[turn].firstChild;
      marked.setAttribute("aria-current", "true");
      marked.setAttribute("tabindex", "0"); // one stop for the tabulator, not a hundred
      if (focused) marked.focus({ preventScroll: true });
      const [above, below] = [rows[turn].offsetTop, rows[turn].offsetTop + rows[turn].offsetHeight];
      if (above < list.scrollTop || below > list.scrollTop + list.clientHeight) list.scrollTop = above - list.clientHeight / 2;
    } };
  }

  /** What a language model was asked in a turn, and what it said: texts of strangers, so they are text nodes. */
  const callsOf = (match, record, turns) => (turn) => {
    const part = (name, text) => (text ? [make("h4", {}, name), make("pre", {}, text)] : []);
    return record.calls.filter(([asked]) => asked === (turns[turn][0]?.number ?? 0)).map(([, seat, before, after, question, thoughts, answer, usage]) =>
      make("details", {}, make("summary", {}, icon(match, seat), make("span", {}, `${roleName(match, seat)}: ${before} tokens asked, ${after} answered${usage && `, ${usage}`}`)),
        part("Question", question), part("Reasoning", thoughts), part("Answer", answer)));
  };

  const remarksOf = (match, turns) => (turn) => turns[turn].flatMap((entry) => entry.remarks.map((text) =>
    make("p", {}, icon(match, entry.seat), make("span", {}, make("span", { class: "unseen" }, `${roleName(match, entry.seat)}: `), text))));

  /** A panel of what `linesOf` says of the turn that is shown, or else the words `none`. */
  function panel(label, classes, none, linesOf) {
    const body = make("div", { class: classes, tabindex: "0", role: "region", "aria-label": label });
    return { element: make("div", { class: "panel" }, make("h3", {}, label), body), show(turn) {
      const lines = linesOf(turn);
      body.replaceChildren(...(lines.length ? lines : [make("p", { class: "none" }, none)]));
    } };
  }

  /** The state as a drawing, or as its facts where the game declares nothing to draw; states and turns may be added later. */
  function stage(match, record, turns) {
    const { states } = record;
    if (!states) return { element: make("p", { class: "note" }, `The board cannot be shown: ${record.broken}.`), show() {} };
    const board = record.grids ? { ...match.board, grids: record.grids } : match.board; // a drawn board is that of its match
    if (!board.grids.length && !board.styles.some(({ kind }) => kind === "cards")) return factStage(states);
    const scenes = [];
    const sceneOf = (turn) => scenes[turn] ??= scene.of(board, states[turn]);
    const grids = board.grids.map((grid, number) => gridStage(board, grid, (turn) => sceneOf(turn).grids[number], turns));
    const table = make("div", { class: "table" });
    const others = make("div", { class: "state" });
    return { element: [make("div", { class: "grids" }, grids.map(({ element }) => element)), table], others, show(turn, how) {
      for (const grid of grids) grid.show(turn, how);
      table.replaceChildren(...sceneOf(turn).cards.map(cardRow));
      others.replaceChildren(...sceneOf(turn).others.map((fact) => make("span", {}, fact)));
    } };
  }

  /** One grid of a board; `sceneOf` returns its own scene after a turn. */
  function gridStage(board, grid, sceneOf, turns) {
    const { svg, show } = boardOf(board, grid);
    const ways = [];
    const waysOf = (turn) => ways[turn] ??= new Map(turns[turn].filter(({ seat }) => sceneOf(turn).pieces.has(seat)).map((entry) => {
      const from = sceneOf(turn - 1).pieces.get(entry.seat);
      return [entry.seat, from ? scene.way(from.cell, entry) : []];
    }));
    const trailOf = (turn, seat) => {
      const cells = [sceneOf(Math.max(0, turn - TRAIL)).pieces.get(seat)?.cell];
      for (let each = Math.max(1, turn - TRAIL + 1); each <= turn; each += 1) cells.push(...(waysOf(each).get(seat) ?? []).map((step) => step.cell));
      return cells.filter(Boolean);
    };
    const name = grid.name ? make("figcaption", {}, grid.name) : null;
    return { element: make("figure", {}, name, svg), show(turn, { forward, milliseconds }) {
      const trail = new Map(board.roles.map((_, seat) => [seat, trailOf(turn, seat)]));
      const seen = sceneOf(turn);
      const where = [...seen.pieces].map(([seat, { cell }]) => `${board.roles[seat]} at ${cell.join(" ")}`);
      if (!where.length) where.push(...[...seen.marks.values()].map(({ style, cell }) => `${style.fact.split(" ")[0]} at ${cell.join(" ")}`));
      show(seen, { ways: forward ? waysOf(turn) : new Map(), milliseconds, trail, title: `Board ${grid.name}: ${where.join(", ")}` });
    } };
  }

  const cardRow = ({ label, cards }) => make("div", { class: "cardrow" }, make("span", { class: "label" }, label),
    cards.map((card) => (card === "?" ? make("span", { class: "card down", title: "face down" }, "?") : make("span", { class: "card" }, card))));

  function factStage(states) {
    const list = make("ul", { class: "factlist", tabindex: "0", "aria-label": "Facts of the state" });
    return { element: list, show(turn) {
      const before = new Set(turn ? states[turn - 1] : states[0]);
      list.replaceChildren(...states[turn].map((fact) => make("li", { class: before.has(fact) ? null : "new" }, fact)));
    } };
  }

  function controls(play) {
    const button = (name, label, press) => make("button", { type: "button", class: name, "aria-label": label, title: label, onclick: press }, sign(name));
    const parts = {
      first: button("first", "To the start", () => play.to(0)),
      back: button("back", "One turn back", () => play.to(play.turn - 1)),
      play: button("play", "Play", () => play.toggle()),
      next: button("next", "One turn on", () => play.to(play.turn + 1)),
      last: button("last", "To the end", () => play.to(Infinity)),
    };
    const speed = make("select", { onchange: (event) => play.speed(Number(event.target.value)) },
      SPEEDS.map((value) => make("option", { value, selected: value === 1 }, `${value} ×`)));
    return { ...parts, speed, element: make("div", { class: "controls", role: "group", "aria-label": "Playback" }, Object.values(parts), make("label", {}, "Speed", speed)) };
  }

  /** What a key does, wherever in the viewer it is pressed; true when it did something. */
  function press(event, play, speed, odds) {
    const typing = ["INPUT", "SELECT"].includes(event.target.tagName);
    const onButton = event.target.closest("button, a") !== null;
    const faster = (by) => {
      speed.selectedIndex = Math.min(SPEEDS.length - 1, Math.max(0, speed.selectedIndex + by));
      play.speed(SPEEDS[speed.selectedIndex]);
    };
    const inMoves = event.target.closest(".moves") !== null;
    const keys = {
      ArrowUp: inMoves ? () => play.to(play.turn - 1) : null, ArrowDown: inMoves ? () => play.to(play.turn + 1) : null,
      ArrowLeft: () => play.to(play.turn - 1), ArrowRight: () => play.to(play.turn + 1),
      Home: () => play.to(0), End: () => play.to(Infinity),
      " ": onButton ? null : () => play.toggle(), k: () => play.toggle(),
      n: odds ? () => play.to(odds.next(play.turn, 1)) : null, p: odds ? () => play.to(odds.next(play.turn, -1)) : null, "+": () => faster(1), "-": () => faster(-1),
    };
    if (event.ctrlKey || event.altKey || event.metaKey || typing || !keys[event.key]) return false;
    keys[event.key]();
    return true;
  }

  /** The viewer's element, with what stands `above` the moves, and `stop` for when it is left. */
  function open(match, record, firstTurn, over, above) {
    const turns = turnsOf(record);
    const now = make("p", { class: "now" });
    const announcement = make("p", { class: "unseen", role: "status", "aria-live": "polite" });
    const plain = stage(match, record, turns);
    const picture = match.board.viewer && (record.facts || match.board.viewer.broken) ? viewer.stage(match, record, turns, plain) : plain;
    const play = playback(turns.length - 1, show);
    const scrub = make("input", { type: "range", class: "scrub", min: 0, max: turns.length - 1, step: 1, "aria-label": "Turn",
      oninput: (event) => play.to(Number(event.target.value)) });
    const bar = controls(play);
    const list = moveList(match, turns, (turn) => play.to(turn));
    const panels = [panel("Remarks", "remarks", "No remark in this turn.", remarksOf(match, turns))];
    if (record.calls) panels.push(panel("Language model", "remarks calls", "Nobody asked the model in this turn.", callsOf(match, record, turns)));
    const odds = chances.open(match, record, (turn) => play.to(turn));
    const fork = commands.fork(match.id);
    let rest = null;

    function show(turn, { forward = false, milliseconds = 0, playing = false } = {}) {
      picture.show(turn, { forward, milliseconds });
      now.replaceChildren(...sentence(match, turns, turn, over).flat(Infinity).filter(Boolean));
      list.mark(turn);
      for (const each of panels) each.show(turn);
      odds?.show(turn);
      fork.to(turn === turns.length - 1 && over !== "forfeit" ? null : turns[turn][0]?.number ?? 0);
      scrub.value = turn;
      scrub.setAttribute("aria-valuetext", now.textContent);
      for (const each of [bar.first, bar.back]) each.disabled = turn === 0;
      for (const each of [bar.next, bar.last]) each.disabled = turn === turns.length - 1;
      bar.play.replaceChildren(sign(playing ? "pause" : "play"));
      bar.play.setAttribute("aria-label", playing ? "Pause" : "Play");
      bar.play.title = playing ? "Pause" : "Play";
      if (!playing) { // a screen reader is not told every turn of a film, nor does the address change with each
        announcement.textContent = now.textContent;
        clearTimeout(rest);
        rest = setTimeout(() => route.rest(match.id, turn), REST_MS);
      }
    }

    const element = make("div", { class: odds ? "replay with-chances" : "replay", tabindex: "-1", "aria-label": "Replay", role: "region",
      onkeydown: (event) => { if (press(event, play, bar.speed, odds)) event.preventDefault(); } },
      make("div", { class: "stage" }, picture.element, make("div", { class: "told" }, now, picture.others), announcement, odds?.chart, scrub, bar.element,
        make("p", { class: "keys" }, make("kbd", {}, "space"), " play  ", make("kbd", {}, "←"), " ", make("kbd", {}, "→"), " step  ", make("kbd", {}, "home"), " ", make("kbd", {}, "end"), "  ", make("kbd", {}, "+"), " ", make("kbd", {}, "−"), " speed",
          odds && ["  ", make("kbd", {}, "n"), " ", make("kbd", {}, "p"), " large changes of the chance"]),
        fork.list),
      make("div", { class: "aside" }, above,
        make("div", { class: "panel" }, make("h3", {}, "Moves"), list.list),
        odds?.panel, panels.map(({ element }) => element)));
    // A turn's number in an address is the game's; a fault before the first is shown at the start.
    const wanted = turns.findIndex((moves) => moves[0]?.number === firstTurn);
    return { element,
      begin() { play.to(wanted > 0 ? wanted : firstTurn > 0 ? turns.length - 1 : 0); picture.start?.(); },
      stop() { play.pause(); clearTimeout(rest); picture.stop?.(); } };
  }

  /** The elements that show the state before a turn; none for a turn that the match does not have. */
  function before(match, record, number) {
    const turns = turnsOf(record);
    const picture = stage(match, record, turns);
    const turn = turns.findIndex((moves) => moves[0]?.number === number) - 1;
    if (turn < 0) return [];
    picture.show(turn, {});
    return [picture.element].flat().filter(Boolean);
  }

  /**
   * A match whose turns come one after another, such as one that is still played. `add` takes turns, each the state after
   * it with its moves as in a record, and shows the last; the first of all is the start. `grids` are those of the match,
   * where its board was drawn for it.
   */
  function growing(match, grids) {
    const [states, turns] = [[], []];
    const picture = stage(match, { states, grids }, turns);
    const now = make("p", { class: "now" });
    return { element: make("div", { class: "stage" }, picture.element, make("div", { class: "told" }, now, picture.others)),
      add(added, milliseconds = 0) {
        for (const { state, moves = [], fates = [] } of added) {
          states.push(state);
          turns.push(moves.map((row, index) => entryOf(row, fates[index])));
        }
        const turn = turns.length - 1;
        picture.show(turn, { forward: turn > 0, milliseconds });
        now.replaceChildren(...sentence(match, turns, turn).flat(Infinity).filter(Boolean));
      } };
  }

  return { open, before, growing };
})();

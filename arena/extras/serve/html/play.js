"use strict";
// A match that a person plays: the board in place of its text, moves by clicks on it, by keys and by buttons.

const play = (() => {
  const PACE = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 380; // milliseconds for each turn of the others
  const KEYS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", ".": "stay" };

  /** The buttons of the legal moves; `narrow` leaves those that fit, and presses the last one that is left. */
  function choices(panel, board) {
    const buttons = () => [...panel.querySelectorAll("button[name=move]")];
    const left = () => buttons().filter((button) => !button.hidden);
    const cellsOf = (button) => button.dataset.cells.split(",");
    let entered = [];

    function show(fitting) {
      const all = fitting.length === buttons().length;
      for (const button of buttons()) button.hidden = !fitting.includes(button);
      panel.querySelector(".all")?.remove();
      if (!all) panel.querySelector(".choices").append(make("button", { type: "button", class: "quiet all", onclick: reset }, "All moves"));
      const aims = new Set(fitting.flatMap(cellsOf));
      for (const cell of board.querySelectorAll("rect[data-cell]")) cell.classList.toggle("aim", aims.has(cell.dataset.cell));
    }

    function reset() {
      entered = [];
      show(buttons());
    }

    function narrow(fits) {
      const fitting = left().filter(fits).length ? left().filter(fits) : buttons().filter(fits);
      if (fitting.length === 1) fitting[0].click();
      else if (fitting.length) show(fitting);
      return fitting.length > 0;
    }

    return { reset,
      key(event) {
        if (event.ctrlKey || event.altKey || event.metaKey || ["INPUT", "SELECT"].includes(event.target.tagName)) return false;
        if (event.key === "Escape") { reset(); return true; }
        if (!KEYS[event.key]) return false;
        const begins = (words) => (button) => `${button.dataset.directions} `.startsWith(`${words.join(" ")} `);
        const longer = [...entered, KEYS[event.key]];
        const wanted = buttons().some(begins(longer)) ? longer : [KEYS[event.key]];
        if (!buttons().some(begins(wanted))) return buttons().some((button) => button.dataset.directions);
        entered = wanted;
        show(buttons());
        return narrow(begins(wanted));
      },
      click(event) {
        const card = event.target.closest(".card");
        const label = card?.parentElement.querySelector(".label")?.textContent.split(" ") ?? [];
        const role = panel.querySelector("form.legal")?.dataset.role;
        if (card && label.includes(role)) { narrow((button) => button.dataset.card === card.textContent); return; }
        const cell = document.elementsFromPoint(event.clientX, event.clientY).find((each) => each.matches("rect[data-cell]"));
        if (cell) narrow((button) => cellsOf(button).includes(cell.dataset.cell));
      } };
  }

  function follow(host) {
    const [board, panel] = [byId("human-board"), byId("human-moves")];
    const moves = choices(panel, board);
    let [picture, free, sent, hearing] = [null, 0, null, Promise.resolve()];

    panel.addEventListener("submit", async (event) => {
      const form = event.target;
      if (!form.matches(".legal")) return;
      event.preventDefault();
      const values = new URLSearchParams(new FormData(form, event.submitter));
      if (sent === values.get("number")) return; // a second click
      sent = values.get("number");
      try {
        const post = () => fetch(form.action, { method: "POST", body: values, headers: { "x-follows": "1" } });
        let answer = await post();
        for (let tries = 0; answer.status === 429 && tries < 5; tries += 1) { // a class behind one address is quick
          await site.pause(1000);
          answer = await post();
        }
        const mistake = site.parsed(await answer.text()).querySelector(".mistake");
        if (!answer.ok) { sent = null; say(mistake?.textContent ?? `The server answers ${answer.status}.`); }
      } catch { sent = null; say("The connection is lost; the move was perhaps not sent."); }
    });
    document.addEventListener("keydown", (event) => { if (moves.key(event)) event.preventDefault(); });
    board.addEventListener("click", moves.click);

    function say(words) {
      panel.querySelector(".mistake")?.remove();
      panel.prepend(make("p", { class: "mistake", role: "alert" }, words));
    }

    const source = new EventSource(host.dataset.stream);
    const on = (name, hear) => source.addEventListener(name, ({ data: text }) => { hearing = hearing.then(() => hear(JSON.parse(text))); });
    on("match", (head) => {
      picture = replay.growing(head);
      board.replaceChildren(picture.element);
      free = 0; // what was before is shown at once
    });
    on("turns", async (turns) => {
      if (!free) picture.add(turns, 0);
      for (const turn of free ? turns : []) {
        await site.pause(free - performance.now());
        picture.add([turn], PACE * 0.8);
        free = performance.now() + PACE;
      }
      free ||= performance.now();
    });
    on("moves", (html) => {
      const focused = panel.contains(document.activeElement);
      panel.replaceChildren(...site.parsed(html).body.childNodes);
      if (focused) panel.querySelector("button[name=move]")?.focus({ preventScroll: true });
      moves.reset();
    });
    on("over", async () => {
      source.close();
      await site.pause(free - performance.now() + PACE);
      location.reload();
    });
    source.addEventListener("error", () => {
      say(source.readyState === EventSource.CLOSED ? "This match is not here any more: load the page again." : "The connection is lost; it is tried again.");
    });
  }

  /** A match that is over, in the replay viewer, at its end. */
  async function lookBack(host) {
    await site.load(host.dataset.json);
    const record = await data.replay(0);
    const viewer = match.view(data.match(0), record, Infinity);
    host.replaceChildren(viewer.elements[0]); // and no processes, as a person has none
    byId("human-text").remove();
    viewer.begin();
  }

  return {
    start() {
      if (byId("human-match")) follow(byId("human-match"));
      if (byId("human-replay")) lookBack(byId("human-replay"));
    },
  };
})();

play.start();

"use strict";
// A game's own view: the page's side of the frame in which a stranger's code draws (report/viewer.py says how it is
// confined). Whatever goes wrong there, the plain board takes its place, with one line that says why.

const viewer = (() => {
  const MOUNT_MS = 10_000, ANSWER_MS = 2000, PING_MS = 1000;
  const ISOLATED = "chrome" in window; // elsewhere a frame may share the page's process: there the reader starts it

  /** What runs in the worker before the viewer's own code: it calls the viewer, and says when it is done. */
  const PRELUDE = `"use strict";
delete self.Worker; // it has one thread, and could start hundreds
onmessage = async ({ data: { id, call, value, element } }) => {
  try {
    if (call === "mount") await mount(element, value);
    if (call === "render") await render(value);
    if (call === "unmount") await unmount();
    postMessage(id);
  } catch (error) {
    postMessage(call + " failed: " + error);
  }
};`;

  const PREFERRED = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (PREFERRED.matches ? "dark" : "light")) === "dark";

  /** What the viewer is given: who plays, the board's facts, and the moves and facts of each turn, the start first. */
  function sceneOf(match, record, turns) {
    const { lines, states } = record.facts;
    return {
      board: match.board.label, roles: match.board.roles, bots: match.seats.map(({ bot }) => bot),
      dark: isDark(),
      facts: record.facts.board,
      turns: turns.map((moves, turn) => ({
        number: moves[0]?.number ?? 0,
        moves: moves.map(({ seat, move }) => ({ role: match.board.roles[seat] ?? String(seat), move })),
        facts: states[turn].map((line) => lines[line]),
      })),
    };
  }

  /** The view in its frame: `show` for a turn, `close` when it is left; `fail` hears once what went wrong. */
  function open({ frame, code }, scene, fail) {
    const element = make("iframe", { class: "own-view", sandbox: "allow-scripts", srcdoc: frame, title: "The game's own view" });
    let id = 0, timer = null, mounted = false, wanted = null, shown = null;
    const pings = setInterval(() => { if (mounted && timer === null && !document.hidden) ask("ping", null, ANSWER_MS); }, PING_MS);

    function ask(call, value, milliseconds, more = {}) {
      id += 1;
      element.contentWindow.postMessage({ id, call, value, ...more }, "*");
      wait(milliseconds);
    }
    function wait(milliseconds) {
      timer = setTimeout(() => end(`it did not answer for ${milliseconds / 1000} seconds`), milliseconds);
    }
    function end(why) {
      clearTimeout(timer);
      clearInterval(pings);
      removeEventListener("message", hear);
      element.remove();
      if (why) fail(why);
    }
    /** One question at a time: a slow viewer skips turns. */
    function next() {
      if (timer !== null || !mounted || wanted === shown) return;
      shown = wanted;
      ask("render", wanted, ANSWER_MS);
    }
    function hear({ source, data }) {
      if (source !== element.contentWindow) return;
      if (data?.done !== id || timer === null) { end(typeof data?.broken === "string" ? data.broken.slice(0, 300) : "it sent a message that nobody asked for"); return; }
      clearTimeout(timer);
      timer = null;
      if (id === 0) ask("mount", scene, MOUNT_MS, { prelude: PRELUDE, code });
      else { mounted = true; next(); }
    }
    addEventListener("message", hear);
    wait(MOUNT_MS);
    return {
      element,
      show(turn) { wanted = turn; next(); },
      close() {
        if (mounted && timer === null) element.contentWindow.postMessage({ id: id + 1, call: "unmount" }, "*");
        clearTimeout(timer); // who left does not hear that it was late
        clearInterval(pings);
        removeEventListener("message", hear);
        setTimeout(() => end(null), 100);
      },
    };
  }

  /** The stage of a game with a view of its own, around the `plain` one. */
  function stage(match, record, turns, plain) {
    const host = make("div", {});
    const board = make("div", { class: "plain" }, plain.element);
    const note = make("p", { class: "note", role: "status" });
    const toggle = make("button", { type: "button", class: "quiet", onclick: () => { if (own) leave(); else enter(); } });
    let own = null, current = 0;

    function swap(view) {
      own = view;
      board.hidden = Boolean(own);
      toggle.textContent = own ? "Show the plain board" : "Show the game's own view";
    }
    function enter() {
      note.replaceChildren();
      swap(open(match.board.viewer, sceneOf(match, record, turns), (why) => { swap(null); toggle.hidden = true; say(why); }));
      host.replaceChildren(own.element);
      own.show(current);
    }
    function leave() {
      own?.close();
      swap(null);
    }
    /** Begin anew in the colours that the reader chose. */
    const recolour = () => { if (own) { leave(); enter(); } };
    const themes = new MutationObserver(recolour);
    function say(why) {
      note.replaceChildren(`The game's own view is broken, so this is the plain board: ${why}.`);
    }

    swap(null);
    return { element: [host, board, make("div", { class: "own-view-bar" }, toggle, note)], others: plain.others,
      stop() {
        themes.disconnect();
        PREFERRED.removeEventListener("change", recolour);
        leave();
      },
      /** When the stage is in the page; a frame starts nowhere else. */
      start() {
        themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
        PREFERRED.addEventListener("change", recolour);
        if (match.board.viewer.broken) { toggle.hidden = true; say(match.board.viewer.broken); }
        else if (ISOLATED) enter();
      },
      show(turn, how) {
        current = turn;
        plain.show(turn, how);
        own?.show(turn);
      } };
  }

  return { stage };
})();

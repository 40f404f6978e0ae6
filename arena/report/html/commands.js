"use strict";
// What to type where the event's archive is, to see a match again.

const commands = {
  /** Commands that go on from a turn, each with a button to copy it; `to` shows those of another turn, null hides them. */
  fork(id) {
    const rows = [["play", "play on yourself"], ["match", "let the bots play on"]].map(([name, meaning]) => {
      const code = make("code", {});
      const button = make("button", { type: "button", class: "copy", onclick: copy }, "Copy");
      async function copy() {
        try {
          await navigator.clipboard.writeText(code.textContent);
          button.textContent = "Copied";
        } catch { // a browser may forbid it: then the text is selected, to be copied by hand
          getSelection().selectAllChildren(code);
        }
      }
      return { name, code, button, row: make("li", {}, code, button, make("span", {}, meaning)) };
    });
    const list = make("ul", { class: "commands fork", "aria-label": "Commands that go on from this turn" }, rows.map(({ row }) => row));
    return { list, to(turn) {
      list.toggleAttribute("hidden", turn === null);
      for (const { name, code, button } of rows) {
        code.textContent = words.command("arena", name, "--from", id, "--turn", String(turn ?? 0));
        button.textContent = "Copy";
      }
    } };
  },

  /** The match again, and what one of its bots read and answered; before turn 1 it was asked no move, so it is checked. */
  list(id, bot, turn) {
    const name = report.names[report.bots.indexOf(bot)];
    const alone = turn
      ? [words.command("arena", "rerun", id, "--bot", name, "--print"), "this bot alone, fed what it read"]
      : [words.command("arena", "check", name), "why this bot does not start"];
    const rows = [[words.command("arena", "rerun", id), "the match again, with the same seeds"], alone];
    return make("ul", { class: "commands", "aria-label": "Commands that play it again" },
      rows.map(([command, meaning]) => make("li", {}, make("code", {}, command), make("span", {}, meaning))));
  },
};

"use strict";
// The page begins here: every view learns what it is for, then the address says which one is shown.

const views = { leaderboard, crosstable, matches, bot, match, charts };

function headline() {
  const { played, seed, schedule, repeats, sandbox, imported } = report.event;
  const figures = [words.count(played, "match", "matches"), words.count(report.bots.length, "bot"), words.count(report.boards.length, "board"),
    `${schedule}${repeats > 1 ? `, ${repeats} repeats` : ""}`, ...(imported ? [] : [`seed ${seed}`, `sandbox ${sandbox}`])];
  byId("facts").replaceChildren(...figures.map((text) => make("span", {}, text)));
}

function show(first) {
  const { view, values } = route.read();
  const known = Object.hasOwn(views, view) && byId(`${view}-view`) ? view : "leaderboard";
  const inside = { bot: "leaderboard", match: "matches" }[known] ?? known;
  match.leave();
  for (const name of Object.keys(views)) {
    const section = byId(`${name}-view`);
    if (section) section.hidden = name !== known;
  }
  for (const tab of document.querySelectorAll(".tabs a")) {
    if (tab.hash === `#${inside}`) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  const subject = views[known].show?.(values) ?? (known === "leaderboard" ? null : byId(`${known}-title`).textContent);
  document.title = subject ? `${subject} – ${report.event.name}` : report.event.name;
  if (first) return;
  byId(`${known}-title`).focus({ preventScroll: true });
  scrollTo(0, 0);
}

theme.start();
data.load(file.values(), file.replay);
headline();
for (const view of Object.values(views)) view.start?.();
addEventListener("hashchange", () => show(false));
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // its `#main` is no view
  byId("main").focus();
});
show(true);

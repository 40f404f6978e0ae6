"use strict";
// Light or dark: as the system has it, until a reader says otherwise.

const theme = (() => {
  const NEXT = { auto: "dark", dark: "light", light: "auto" };
  let now = "auto";

  function apply(wanted) {
    now = wanted in NEXT ? wanted : "auto";
    if (now === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = now;
    byId("theme").textContent = { auto: "◐ Auto", dark: "● Dark", light: "○ Light" }[now];
    byId("theme").setAttribute("aria-label", `Colours: ${now}. Change to ${NEXT[now]}`);
  }

  // A file that is opened from a disk may have no storage: then the choice lasts as long as the page.
  function stored() {
    try { return localStorage.getItem("arena-theme"); } catch { return null; }
  }

  function store() {
    try { localStorage.setItem("arena-theme", now); } catch { /* it lasts as long as the page */ }
  }

  return {
    start() {
      apply(stored() ?? "auto");
      byId("theme").hidden = false;
      byId("theme").addEventListener("click", () => { apply(NEXT[now]); store(); });
    },
  };
})();

"use strict";
// The charts.

/** A touch or Enter shows a chart larger, or whole again. */
function enlarging() {
  for (const picture of document.querySelectorAll(".charts img")) {
    const button = picture.parentElement;
    const turn = () => button.setAttribute("aria-pressed", String(picture.classList.toggle("large")));
    for (const [name, value] of Object.entries({ role: "button", tabindex: "0", "aria-pressed": "false", "aria-label": `${picture.alt} Enlarge.` })) button.setAttribute(name, value);
    button.addEventListener("click", turn);
    button.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      turn();
    });
  }
}

const charts = { start: enlarging };

"use strict";
// Where links lead on the site; the report has the same names, and leads to parts of its one page.

const route = (() => {
  const base = document.body.dataset.event ?? "";
  const query = (values) => new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "" && value !== undefined && value !== null));
  return {
    to: (view, values = {}) => `${base}/${view}?${query(values)}`,
    bot: (name) => (base ? `${base}/bot?${query({ name })}` : null), // a match of a person belongs to no event
    match: (id, turn) => `${base}/matches/${encodeURIComponent(id)}${turn === undefined ? "" : `?turn=${turn}`}`,
    /** Write the turn into the address of a match's page, without a step in the browser's history. */
    rest(id, turn) { if (document.getElementById("match-content")) history.replaceState(null, "", this.match(id, turn)); },
  };
})();

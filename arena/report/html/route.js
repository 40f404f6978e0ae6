"use strict";
// The part of the address behind `#`: which view is shown and of what, such as `#match=3f2a&turn=7`.

const route = {
  /** The view's name and its parameters; the first word is both (`match=3f2a`). */
  read() {
    const text = location.hash.slice(1) || report.home;
    const values = new URLSearchParams(text);
    return { view: [...values.keys()][0] ?? "leaderboard", values };
  },

  /** An address: `route.to("matches", {bot: "dice"})`; what is empty is left out. */
  to(view, values = {}) {
    const given = Object.entries(values).filter(([, value]) => value !== "" && value !== undefined && value !== null);
    const written = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    return `#${(view in values ? written : [view, ...written]).join("&")}`;
  },

  bot: (name) => `#bot=${encodeURIComponent(name)}`,
  match: (id, turn) => `#match=${id}${turn === undefined ? "" : `&turn=${turn}`}`,

  /** Write the turn of the match that is shown into the address. */
  rest(id, turn) {
    // A link may just have been followed: browsers tell the page of it later.
    if (this.read().values.get("match") === id) this.replace(this.match(id, turn));
  },

  /** Change the address without a step in the browser's history, and without showing anything anew. */
  replace: (address) => history.replaceState(null, "", address),
};

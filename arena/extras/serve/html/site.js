"use strict";
// Every page of the site begins here: tables learn to be sorted, parts are asked for again while somebody looks, and
// the report's viewers get their data from addresses of JSON.

const site = (() => {
  const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });
  const parsed = (text) => new DOMParser().parseFromString(text, "text/html");

  async function json(address) {
    const answer = await fetch(address, { cache: "no-cache" });
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
    return answer.json();
  }

  /** The choice of a reader in the leaderboard, which a new table is to have, too. */
  function choice() {
    return { text: byId("leaderboard-search").value, all: byId("leaderboard-all").checked, focused: document.activeElement?.id,
      sorted: leaderboard.tables().map((table) => [table.id, ...[...table.querySelectorAll("thead th")].map((head) => head.getAttribute("aria-sort"))]) };
  }

  function choose({ text, all, focused, sorted }) {
    for (const [id, ...orders] of sorted) {
      const heads = byId(id)?.querySelectorAll("thead th") ?? [];
      orders.forEach((order, column) => {
        const press = () => heads[column]?.querySelector("button")?.click();
        if (column === 0 && order === "ascending" || !["ascending", "descending"].includes(order)) return;
        press();
        if (heads[column]?.getAttribute("aria-sort") !== order) press();
      });
    }
    byId("leaderboard-search").value = text;
    byId("leaderboard-search").dispatchEvent(new Event("input"));
    if (byId("leaderboard-all").checked !== all) byId("leaderboard-all").click();
    if (focused) byId(focused)?.focus({ preventScroll: true });
  }

  /** Ask for a part of the page again and again, while somebody looks at it. */
  function poll(part) {
    const { poll: address, every } = part.dataset;
    let etag = null;
    async function ask() {
      if (document.hidden) return;
      const answer = await fetch(address, { cache: "no-cache" });
      if (!answer.ok || answer.headers.get("etag") === etag) return; // the browser answers a 304 with what it has
      const first = etag === null && part.childElementCount;
      etag = answer.headers.get("etag");
      if (first) return; // it is in the page already
      const text = await answer.text();
      const kept = part.id === "leaderboard-view" && byId("leaderboard-search") ? choice() : null;
      part.replaceChildren(...parsed(text).body.childNodes);
      if (part.id === "leaderboard-view" && byId("leaderboard-search")) leaderboard.start();
      if (kept) choose(kept);
      part.dispatchEvent(new Event("renewed"));
    }
    const again = () => setTimeout(() => ask().catch(() => {}).finally(again), every * 1000 * (0.9 + Math.random() * 0.2));
    ask().catch(() => {});
    again();
    document.addEventListener("visibilitychange", () => { ask().catch(() => {}); });
  }

  /** A match with its replay; a replay that was loaded already is not loaded again. */
  async function load(address) {
    const values = await json(address);
    const own = values.replay === undefined ? new Map() : new Map([[0, values.replay]]);
    data.load(values, async (row) => {
      if (!own.has(row)) own.set(row, json(`${route.match(report.matches.id[row])}/data.json`).then((found) => found.replay));
      return own.get(row);
    });
  }

  async function start() {
    if (byId("wall")) { wall.start(byId("wall")); return; }
    theme.start();
    for (const part of document.querySelectorAll("[data-poll]")) poll(part);
    if (byId("leaderboard-search")) leaderboard.start();
    charts.start();
    const [ofMatch, ofBot, ofLive] = [byId("match-content"), byId("bot-content"), byId("live-content")];
    if (ofLive) live.start(ofLive);
    if (ofMatch) {
      await load(ofMatch.dataset.json);
      match.show(new URLSearchParams({ match: ofMatch.dataset.match, turn: new URLSearchParams(location.search).get("turn") ?? "0" }));
    }
    if (ofBot) {
      await load(ofBot.dataset.json);
      bot.show(new URLSearchParams({ bot: ofBot.dataset.bot }));
    }
  }

  return { start, load, pause, parsed };
})();

site.start();

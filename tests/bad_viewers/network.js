// It tries every way to a network that a worker has, by itself and by a worker of its own.
const HOST = "127.0.0.1:PORT";
const WAYS = {
  fetch: () => fetch(`http://${HOST}/fetch`, { mode: "no-cors" }),
  request() { const asked = new XMLHttpRequest(); asked.open("GET", `http://${HOST}/xhr`, false); asked.send(); },
  script: () => importScripts(`http://${HOST}/script`),
  module: () => import(`http://${HOST}/module`),
  socket: () => new WebSocket(`ws://${HOST}/socket`),
  events: () => new EventSource(`http://${HOST}/events`),
  transport: () => new WebTransport(`https://${HOST}/transport`),
  peer: () => new RTCPeerConnection({ iceServers: [{ urls: `stun:${HOST}` }] }).createDataChannel("x"),
  worker: () => new Worker(URL.createObjectURL(new Blob([`fetch("http://${HOST}/worker", { mode: "no-cors" })`]))),
  remote: () => new Worker(`http://${HOST}/remote`),
  stream: () => new WebSocketStream(`ws://${HOST}/stream`).opened,
  font: () => new FontFace("x", `url(http://${HOST}/font)`).load(),
  filter() { const paint = new OffscreenCanvas(9, 9).getContext("2d"); paint.filter = `url(http://${HOST}/filter#x)`; paint.fillRect(0, 0, 9, 9); },
  cache: () => caches.open("x").then((cache) => cache.add(`http://${HOST}/cache`)),
  data: () => importScripts(`data:text/javascript,fetch("http://${HOST}/data")`),
  blob: () => importScripts(URL.createObjectURL(new Blob([`fetch("http://${HOST}/blob")`]))),
  later: () => setTimeout(`fetch("http://${HOST}/later")`),
  made: () => new Function(`fetch("http://${HOST}/made")`)(),
  service: () => navigator.serviceWorker.register(`http://${HOST}/service`),
  again: () => new (Object.getPrototypeOf(self).constructor.Worker ?? Object.getPrototypeOf(self).Worker)(`http://${HOST}/again`),
  page: () => fetch(self.origin),
  evaluated: () => eval(`fetch("http://${HOST}/eval")`),
};

async function mount() {
  for (const way of Object.values(WAYS)) {
    try { await way(); } catch { /* refused */ }
  }
}
function render() {}
function unmount() {}

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

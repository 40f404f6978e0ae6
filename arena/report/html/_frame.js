"use strict";
// The only script of the frame of a game's own view (report/viewer.py): it starts the viewer as a worker, and passes on
// which turn to draw and that it was drawn. Whatever else the worker says ends it.

let worker = null;
let awaited = null;

const tell = (message) => parent.postMessage(message, "*"); // the page has no origin when it is a file

function fail(sentence) {
  worker?.terminate();
  worker = null;
  tell({ broken: String(sentence).slice(0, 300) });
}

function start({ prelude, code, value: { dark } }) {
  const canvas = document.body.appendChild(document.createElement("canvas"));
  document.documentElement.style.colorScheme = dark ? "dark" : "light"; // as the page around, or the frame is not transparent
  Object.assign(document.body.style, { margin: 0, height: "100vh" });
  Object.assign(canvas.style, { display: "block", width: "100%", height: "100%", objectFit: "contain" });
  [canvas.width, canvas.height] = [800, 600];
  worker = new Worker(URL.createObjectURL(new Blob([prelude, "\n", code], { type: "text/javascript" })));
  worker.onerror = (event) => { event.preventDefault(); fail(event.message); };
  worker.onmessage = ({ data }) => {
    if (awaited !== null && data === awaited) { awaited = null; tell({ done: data }); }
    else fail(typeof data === "string" ? data : "it sent a message that nobody asked for");
  };
  return canvas.transferControlToOffscreen();
}

addEventListener("message", ({ source, data }) => {
  if (source !== parent) return;
  const element = data.code === undefined ? null : start(data);
  if (!worker) return;
  awaited = data.id;
  worker.postMessage({ id: data.id, call: data.call, value: data.value, element }, element ? [element] : []);
});

tell({ done: 0 });

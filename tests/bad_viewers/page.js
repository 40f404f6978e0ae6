// It looks for the page around it, for what the browser stores, and for a way to other pages.
const found = ["document", "window", "parent", "top", "opener", "frames", "open", "alert", "localStorage", "RTCPeerConnection", "Worker", "SharedWorker", "cookieStore"]
  .filter((name) => self[name] !== undefined);

async function mount() {
  try { location.href = "https://example.invalid/"; } catch { /* a worker's address is fixed */ }
  try { await new Promise((done, refused) => { const asked = indexedDB.open("x"); asked.onsuccess = done; asked.onerror = refused; }); found.push("indexedDB"); } catch { /* refused */ }
  for (const [name, store] of Object.entries({ cache: () => caches.open("x"), files: () => navigator.storage.getDirectory(), locks: () => navigator.locks.request("x", () => 1) })) {
    try { await store(); found.push(name); } catch { /* refused */ }
  }
  throw new Error(`found ${found.join(", ") || "nothing"} at ${self.origin}`);
}

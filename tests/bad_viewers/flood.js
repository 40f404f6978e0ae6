// It floods whoever listens to it.
function mount() { for (let each = 0; each < 100_000; each += 1) postMessage({ done: each, words: "x".repeat(1000) }); }
function render() {}

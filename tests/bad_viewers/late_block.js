// It answers every question, and blocks its thread for ever in between.
const { buffer } = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
function mount() { setTimeout(() => Atomics.wait(new Int32Array(buffer), 0, 0), 300); }
function render() {}

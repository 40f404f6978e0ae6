// It takes 1 GB and keeps it.
const hoard = [];
function mount() { for (let megabytes = 0; megabytes < 1024; megabytes += 16) hoard.push(new Uint8Array(16 << 20).fill(1)); }
function render() {}

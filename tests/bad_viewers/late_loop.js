// It answers every question, and loops for ever in between.
function mount() { setTimeout(() => { while (true); }, 300); }
function render() {}

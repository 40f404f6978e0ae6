// It draws the start, and never comes back from the next turn.
function mount() {}
function render(turn) { while (turn > 0); }

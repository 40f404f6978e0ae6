// It is no JavaScript.
function mount( {

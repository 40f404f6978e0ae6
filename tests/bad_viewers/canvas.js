// It asks for a drawing of four gigabytes.
function mount(element) { [element.width, element.height] = [32_000, 32_000]; element.getContext("2d").fillRect(0, 0, 32_000, 32_000); }
function render() {}

"use strict";
// Elements out of values. A text is always a text node: whatever a bot wrote, it is never read as markup.

const dom = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
    return element;
  }

  return {
    /** An HTML element: attributes by name, listeners as `onclick` and the like, then children. */
    make: (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children),
    /** The same in SVG. */
    draw: (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children),
    byId: (id) => document.getElementById(id),
  };
})();

const { make, draw, byId } = dom;

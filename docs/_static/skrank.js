/* SPDX-License-Identifier: BSD-3-Clause */

/* So long, a name may be wider than a sidebar or a telephone. */
const LONG = 24;

/* The window from which on code has a column of its own, and how far its font shrinks. */
const SCREEN = 960;
const SMALLEST = 0.75;

/* A narrow column breaks long names between their words, and nowhere else. */
function allowBreaks() {
  const names = "code, dt .sig-prename, .classifier, .bd-sidebar-primary .bd-links a";
  for (const name of document.querySelectorAll(names)) {
    if (name.closest("pre")) continue;
    const texts = document.createTreeWalker(name, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) found.push(texts.currentNode);
    for (const text of found) {
      const places = text.data.length > LONG ? /(?<=[._\/(=])/ : /(?<=\.)/;
      const parts = text.data.split(places);
      const separated = parts.flatMap((part) => [part, document.createElement("wbr")]);
      text.replaceWith(...separated.slice(0, -1));
    }
  }
}

/* On a screen, output with long lines, such as a table, gets a smaller font. */
function fitOutput() {
  for (const code of document.querySelectorAll(".bd-article pre")) {
    code.style.fontSize = "";
    const share = (0.99 * code.clientWidth) / code.scrollWidth;
    if (window.innerWidth < SCREEN || code.scrollWidth <= code.clientWidth) continue;
    const size = parseFloat(getComputedStyle(code).fontSize);
    code.style.fontSize = `${size * Math.max(share, SMALLEST)}px`;
  }
}

/* Where a row of features is a block of its own, its cells say what they belong to. */
function nameCells() {
  for (const table of document.querySelectorAll("table.features")) {
    const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    for (const row of table.tBodies[0].rows)
      [...row.cells].forEach((cell, i) => (cell.dataset.column = names[i]));
  }
}

/* A table that is cut on its right says so. */
function markWideTables() {
  for (const box of document.querySelectorAll(".pst-scrollable-table-container")) {
    const hidden = box.scrollWidth - box.clientWidth - box.scrollLeft;
    box.classList.toggle("goes-on", hidden > 1);
  }
}

document.addEventListener("DOMContentLoaded", allowBreaks);
document.addEventListener("DOMContentLoaded", nameCells);
document.addEventListener("scroll", markWideTables, true);
for (const event of ["load", "resize"]) {
  window.addEventListener(event, fitOutput);
  window.addEventListener(event, markWideTables);
}

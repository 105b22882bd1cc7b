// What is wrong with the page that is open, as a list of sentences. Selenium passes the
// function that takes the list.
const done = arguments[arguments.length - 1];

const WIDE_ENOUGH_FOR_CODE = 1000;
const LEAST_COLUMN = 6; // em
const LEAST_CONTRAST = 3;

const width = (element) => element.getBoundingClientRect().width;
const is_visible = (element) => element.checkVisibility() && width(element) > 0;

// The tag, the classes and the first words of an element.
function name_of(element) {
  const classes = [...element.classList].map((name) => `.${name}`).join("");
  const text = element.textContent.trim().replace(/\s+/g, " ").slice(0, 50);
  return `<${element.tagName.toLowerCase()}${classes}> ${text}`;
}

// Whether the element stands in a box that scrolls or cuts by itself.
function is_boxed(element) {
  for (let box = element.parentElement; box !== document.body; box = box.parentElement)
    if (!box || getComputedStyle(box).overflowX !== "visible") return true;
  return false;
}

function* overflow() {
  const page = document.documentElement;
  if (page.scrollWidth <= page.clientWidth) return;
  const right = (element) => element.getBoundingClientRect().right + scrollX;
  const out = [...document.body.querySelectorAll("*")].filter(
    (element) => right(element) > page.clientWidth && !is_boxed(element)
  );
  // The last one of those that reach as far is the innermost one.
  const widest = out.reduce((one, other) => (right(other) >= right(one) ? other : one));
  yield `the page is ${page.scrollWidth} px wide: ${name_of(widest)}`;
}

function* narrow_columns() {
  for (const table of document.querySelectorAll("table")) {
    const seen = new Set();
    for (const cell of table.querySelectorAll("th, td")) {
      const left = Math.round(cell.getBoundingClientRect().left);
      if (cell.colSpan > 1 || !is_visible(cell) || seen.has(left)) continue;
      seen.add(left);
      const em = width(cell) / parseFloat(getComputedStyle(cell).fontSize);
      if (em < LEAST_COLUMN - 0.01)
        yield `a column is ${em.toFixed(1)} em wide: ${name_of(cell)}`;
    }
  }
}

// Names of the sidebar that run over its border.
function* cut_links() {
  const sidebar = document.querySelector(".bd-sidebar-primary");
  if (!sidebar || !is_visible(sidebar)) return;
  const border = sidebar.getBoundingClientRect().right;
  for (const link of sidebar.querySelectorAll("a")) {
    const range = document.createRange();
    range.selectNodeContents(link);
    if (is_visible(link) && range.getBoundingClientRect().right > border)
      yield `a name runs over the border of the sidebar: ${name_of(link)}`;
  }
}

function* missing_images() {
  for (const image of document.images)
    if (!image.naturalWidth) yield `an image is missing: ${image.getAttribute("src")}`;
}

function* unreadable_formulas() {
  const raw = [...document.querySelectorAll(".math")].filter(
    (formula) => !formula.querySelector("mjx-container")
  );
  if (raw.length)
    yield `${raw.length} formulas are not rendered, the first: ${name_of(raw[0])}`;
  for (const error of document.querySelectorAll("mjx-merror, [data-mml-node=merror]"))
    yield `a formula has an error: ${name_of(error)}`;
}

function* cut_code() {
  if (innerWidth < WIDE_ENOUGH_FOR_CODE) return;
  for (const code of document.querySelectorAll("pre"))
    if (code.scrollWidth > code.clientWidth)
      yield `a line of code is cut: ${name_of(code)}`;
}

// Names that cannot be read because a line breaks inside a word.
function* broken_words() {
  const range = document.createRange();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const element = text.parentElement.closest("h1, dt, th, td, code");
    if (!element || text.parentElement.closest("pre, mjx-container")) continue;
    for (const word of text.data.matchAll(/[A-Za-z0-9]+/g)) {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((line) => line.top));
      if (lines.size > 1) yield `a word is broken: ${word[0]} in ${name_of(element)}`;
    }
  }
}

// Red, green, blue and opacity of a colour of CSS.
const channels = (colour) => {
  const [red, green, blue, opacity = 1] = colour.match(/[\d.]+/g).map(Number);
  return { rgb: [red, green, blue], opacity };
};

// The relative luminance of WCAG 2.
function luminance(rgb) {
  const [red, green, blue] = rgb.map((part) =>
    part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function background_of(element) {
  for (let box = element; box; box = box.parentElement) {
    const { rgb, opacity } = channels(getComputedStyle(box).backgroundColor);
    if (opacity === 1) return rgb;
  }
  return [255, 255, 255];
}

// Text that can hardly be told from its background, as in one of light and dark mode.
function* faint_text() {
  const seen = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || seen.has(element)) continue;
    seen.add(element);
    if (!is_visible(element) || element.closest("svg, script, style")) continue;
    const { rgb, opacity } = channels(getComputedStyle(element).color);
    if (opacity < 1) continue;
    const [dark, light] = [luminance(rgb), luminance(background_of(element))].sort(
      (one, other) => one - other
    );
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < LEAST_CONTRAST)
      yield `a text has a contrast of ${contrast.toFixed(1)}: ${name_of(element)}`;
  }
}

function* mail_links() {
  for (const link of document.querySelectorAll("a[href^='mailto:']"))
    yield `a link writes a mail: ${name_of(link)}`;
}

// Images that load when they are scrolled to, fonts and formulas.
async function everything_has_loaded() {
  for (const image of document.images) image.loading = "eager";
  const images = [...document.images].map((image) => image.decode().catch(() => null));
  await Promise.all([...images, window.MathJax?.startup?.promise]);
  await document.fonts.ready;
}

everything_has_loaded().then(() =>
  done([
    ...overflow(),
    ...narrow_columns(),
    ...cut_links(),
    ...missing_images(),
    ...unreadable_formulas(),
    ...cut_code(),
    ...broken_words(),
    ...faint_text(),
    ...mail_links(),
  ])
);

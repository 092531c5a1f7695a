// What a figure shows, for those who hear the page. In: the key of the figure, a sentence, and a table of its numbers.
// Out: the table in an invisible element; the figure bears the sentence and is one picture, not its many ticks.

const WATCHES = new WeakMap();

function cells(tag, texts) {
  const row = document.createElement("tr");
  row.append(
    ...texts.map((text) => {
      const cell = document.createElement(tag);
      cell.textContent = text;
      return cell;
    }),
  );
  return row;
}

function table({ label, head, rows }) {
  const node = document.createElement("table");
  const [caption, top, body] = ["caption", "thead", "tbody"].map((tag) => document.createElement(tag));
  caption.textContent = label;
  top.append(cells("th", head));
  body.append(...rows.map((row) => cells("td", row)));
  node.append(caption, top, body);
  return node;
}

// The figure is drawn later than this, and again when it changes.
function name({ of, label }) {
  document.querySelector("#js-plotly-tester")?.setAttribute("aria-hidden", "true"); // where plotly measures letters
  for (const drawn of document.querySelectorAll(`.st-key-${CSS.escape(of)} .js-plotly-plot`)) {
    if (drawn.getAttribute("aria-label") === label) continue;
    drawn.setAttribute("role", "img");
    drawn.setAttribute("aria-label", label);
  }
}

export default function mountFigureWords({ data, parentElement }) {
  parentElement.querySelector(".words").replaceChildren(...(data.rows.length ? [table(data)] : []));
  WATCHES.get(parentElement)?.disconnect();
  const watch = new MutationObserver(() => name(data));
  watch.observe(document.body, { subtree: true, childList: true });
  WATCHES.set(parentElement, watch);
  name(data);
  return () => WATCHES.get(parentElement)?.disconnect();
}

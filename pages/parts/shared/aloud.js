// Reads a text aloud to people who do not see the screen, and gives the focus back where drawing again took it.
// In: the text of now, whether it is read at once as the page opens, and the keys of widgets that replace each other
// under names of their own. Out: words in an element that is not visible.

const MOMENT_MS = 150; // the element stands before it speaks, and the new drawing is done
const STATES = new WeakMap();

class Aloud {
  #text = null;
  #last = ""; // the key of the widget that had the focus last, of those that replace each other

  constructor(node) {
    this.node = node;
    this.onFocus = ({ target }) => this.#note(target);
    document.addEventListener("focusin", this.onFocus);
  }

  update({ text, first, replaced }) {
    const isNew = this.#text === null ? first : this.#text !== text;
    this.replaced = replaced;
    this.#text = text;
    if (!isNew) return;
    setTimeout(() => {
      if (this.#text !== text) return;
      this.node.textContent = text;
      this.#giveBack();
    }, MOMENT_MS);
  }

  #note(target) {
    const names = target.closest?.('[class*="st-key-"]')?.className ?? "";
    this.#last = this.replaced?.find((key) => names.includes(`st-key-${key}`)) ?? "";
  }

  #giveBack() {
    if (!this.#last || document.activeElement !== document.body) return;
    const again = document.querySelector(`[class*="st-key-${this.#last}"] button:not(:disabled)`);
    again?.focus({ preventScroll: true });
  }

  end() {
    document.removeEventListener("focusin", this.onFocus);
  }
}

// Streamlit calls this on every change of the data and runs only the last cleanup it was given.
export default function mountAloud({ data, parentElement }) {
  if (!STATES.has(parentElement)) STATES.set(parentElement, new Aloud(parentElement.querySelector("p")));
  STATES.get(parentElement).update(data);
  return () => {
    STATES.get(parentElement)?.end();
    STATES.delete(parentElement);
  };
}

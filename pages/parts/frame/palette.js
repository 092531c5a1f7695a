// Go to: Ctrl K or Cmd K opens a field; a few letters find a section or an article, and Enter goes there.
// In: the ways to sections, and those to the articles that hold what was `asked`. Out: `asked`, the words in the field.

const PAUSE_MS = 200; // between letters of a word that is being typed
const STATES = new WeakMap();

class Palette {
  #at = 0;
  #shown = [];
  #timer = 0;
  #isEntered = false; // before there was anything to go to: what comes for these words is gone to

  constructor(parent) {
    const parts = ["dialog", "input", "ul", "[role=status]"];
    [this.dialog, this.field, this.list, this.status] = parts.map((each) => parent.querySelector(each));
    const button = parent.querySelector("button");
    button.addEventListener("click", () => this.open());
    button.disabled = false; // it stands before its script has come
    this.field.addEventListener("input", () => this.#typed());
    this.field.addEventListener("keydown", (event) => this.#move(event));
    this.list.addEventListener("click", ({ target }) => this.#go(target.closest("li")?.value));
    this.onKey = (event) => {
      if (event.key !== "k" || event.ctrlKey === event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      this.open();
    };
    window.addEventListener("keydown", this.onKey, true);
  }

  update(component) {
    Object.assign(this, component);
    this.#paint();
  }

  open() {
    if (this.dialog.open || document.querySelector("[role=dialog]")) return;
    this.field.value = "";
    this.dialog.showModal();
    this.#typed();
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.setStateValue("asked", this.field.value.trim()), PAUSE_MS);
    this.#at = 0;
    this.#isEntered = false;
    this.#paint();
  }

  #paint() {
    const typed = this.field.value.trim();
    const begins = (name) => name.toLowerCase().startsWith(typed.toLowerCase());
    const ways = this.data.ways.filter(([title, place]) => begins(title) || begins(place));
    const finding = [`Find: ${typed}`, "", `/find?q=${encodeURIComponent(typed)}`];
    const answers = [...this.data.articles, ...(typed && this.data.finds ? [finding] : [])];
    this.#shown = [...ways, ...(this.data.asked === typed ? answers : [])];
    const rows = this.#shown.map(([title, told], place) => {
      const row = document.createElement("li");
      Object.assign(row, { id: `way${place}`, value: place, role: "option", ariaSelected: place === this.#at });
      row.append(title, Object.assign(document.createElement("span"), { textContent: told === title ? "" : told }));
      return row;
    });
    this.list.replaceChildren(...rows);
    this.status.textContent =
      rows.length || this.data.asked !== typed
        ? ""
        : "Nothing found: type a section, words of a title, or a whole PMID.";
    this.field.setAttribute("aria-activedescendant", rows.length ? `way${this.#at}` : "");
    rows[this.#at]?.scrollIntoView({ block: "nearest" });
    if (this.#isEntered && this.dialog.open) this.#go(this.#at);
  }

  #move(event) {
    event.stopPropagation(); // or a letter would be a key of the page
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.#shown.length) {
      event.preventDefault();
      this.#at = (this.#at + step + this.#shown.length) % this.#shown.length;
      this.#paint();
    } else if (event.key === "Enter") {
      this.#isEntered = !this.#shown.length;
      this.#go(this.#at);
    }
  }

  #go(place) {
    const way = this.#shown[place];
    if (!way) return;
    this.dialog.close();
    clearTimeout(this.#timer); // nobody waits for articles any more
    history.pushState({}, "", this.data.base + way[2]);
    dispatchEvent(new PopStateEvent("popstate"));
  }

  end() {
    window.removeEventListener("keydown", this.onKey, true);
  }
}

// Streamlit calls this on every change of the data and runs only the last cleanup it was given.
export default function mountPalette(component) {
  const parent = component.parentElement;
  if (!STATES.has(parent)) STATES.set(parent, new Palette(parent));
  STATES.get(parent).update(component);
  return () => {
    STATES.get(parent)?.end();
    STATES.delete(parent);
  };
}

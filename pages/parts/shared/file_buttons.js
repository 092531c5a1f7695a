// Buttons of files that the server makes when they are asked for. In: names of files, a token. Out: the browser's own
// way to keep a file. While one is made its button says so; what keeps it from being made is said below.

const REASONS = {
  gone: "this page was left open too long: reload it",
  "logged out": "you are logged out: log in again, then reload this page",
  "not allowed": "you may not do this any more: ask an admin",
};

class FileButtons {
  #making = new Set();
  #reason = "";
  #made = "";

  constructor(component) {
    this.host = component.parentElement.querySelector(".files");
    this.update(component);
  }

  update({ data }) {
    this.data = data;
    this.#paint();
  }

  async #fetch(file) {
    if (this.#making.has(file.wanted)) return;
    this.#making.add(file.wanted);
    this.#reason = this.#made = "";
    this.#paint();
    try {
      const body = JSON.stringify({ token: this.data.token, wanted: file.wanted });
      const headers = { "Content-Type": "application/json" };
      const response = await fetch(this.data.endpoint, { method: "POST", headers, body });
      if (response.ok) {
        keep(await response.blob(), file.name);
        this.#made = file.name;
      } else this.#reason = await reasonOf(response);
    } catch {
      this.#reason = "the server cannot be reached; try again";
    }
    this.#making.delete(file.wanted);
    this.#paint();
  }

  // Buttons stay the same nodes, so that a click that meets a change of the page is not lost.
  #paint() {
    const { files, stacked, disabled } = this.data;
    this.host.classList.toggle("stacked", Boolean(stacked));
    const buttons = files.map((file, place) => {
      const node = this.host.querySelectorAll("button")[place] ?? this.#makeButton(place);
      node.disabled = Boolean(disabled);
      node.title = file.help;
      node.setAttribute("aria-busy", String(this.#making.has(file.wanted)));
      node.lastChild.textContent = file.label;
      return node;
    });
    const problem = this.host.querySelector("p") ?? document.createElement("p");
    problem.textContent = this.#reason ? `Not made: ${this.#reason}.` : "";
    const wanted = [...buttons, problem, this.#said(problem.textContent)];
    if (wanted.length !== this.host.children.length) this.host.replaceChildren(...wanted);
  }

  // Read aloud: what kept a file from being made, or that the browser has it.
  #said(problem) {
    const status = this.host.querySelector("[role=status]") ?? document.createElement("span");
    status.setAttribute("role", "status");
    const text = problem || (this.#made && `${this.#made} is made.`);
    if (status.textContent !== text) status.textContent = text;
    return status;
  }

  #makeButton(place) {
    const node = document.createElement("button");
    const sign = document.createElement("span");
    sign.className = "sign";
    sign.setAttribute("aria-hidden", "true");
    node.type = "button";
    node.addEventListener("click", () => this.#fetch(this.data.files[place]));
    node.append(sign, document.createElement("span"));
    return node;
  }
}

async function reasonOf(response) {
  if (response.status === 503) return "the server or its database is busy, away or full; try again";
  try {
    const { error } = await response.json();
    return REASONS[error] ?? error;
  } catch {
    return `the server answered ${response.status}`;
  }
}

// Hands content to the browser as a file of this name.
function keep(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// Streamlit calls this on every change of the data and runs only the last cleanup it was given.
const MOUNTED = new WeakMap();

export default function mountFileButtons(component) {
  const { parentElement } = component;
  const mounted = MOUNTED.get(parentElement);
  if (mounted) mounted.update(component);
  else MOUNTED.set(parentElement, new FileButtons(component));
  return () => MOUNTED.delete(parentElement);
}

// Light, dark, or as the system is: kept by this browser, and read before a page is drawn (first_page.html).
// In: nothing. Out: three buttons; choosing loads the page again, as Streamlit takes a theme only then.

const KEPT = "keyline:theme";
const CHOICES = { System: "", Light: "Light", Dark: "Dark" };

export default function ({ parentElement }) {
  const row = parentElement.querySelector(".themes");
  const now = localStorage.getItem(KEPT) ?? "";
  const buttons = Object.entries(CHOICES).map(([name, value]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.setAttribute("aria-pressed", String(value === now));
    button.addEventListener("click", () => choose(value));
    return button;
  });
  row.replaceChildren(...buttons);
}

function choose(theme) {
  if (theme) localStorage.setItem(KEPT, theme);
  else localStorage.removeItem(KEPT);
  location.reload();
}

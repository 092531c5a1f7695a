// The words in Find's box while they are typed: Streamlit itself tells of them after Enter.
// In: the letters of the box. Out: `typed`, all that stands there after each pause.

const PAUSE_MS = 250;
let end = () => {}; // Streamlit may call again without an end of what it had

export default function listen({ setStateValue }) {
  end();
  let timer = 0;
  const onInput = ({ target }) => {
    if (!target.closest(".st-key-find_text")) return;
    clearTimeout(timer);
    timer = setTimeout(() => setStateValue("typed", target.value), PAUSE_MS);
  };
  document.addEventListener("input", onInput);
  end = () => {
    clearTimeout(timer);
    document.removeEventListener("input", onInput);
  };
  return end;
}

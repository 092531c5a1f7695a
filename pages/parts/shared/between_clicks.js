// A click is lost if its button is drawn again while the mouse is down: drawing waits until the mouse is let go.
// In: the element that is drawn within. Out: what runs a drawing now, or the last one given as soon as it may.

export function betweenClicks(host) {
  let isPressed = false;
  let waiting = null;
  const end = () => {
    isPressed = false;
    waiting?.();
    waiting = null;
  };
  const letGo = () => setTimeout(end); // after the click
  host.addEventListener("pointerdown", ({ button }) => {
    isPressed = button === 0;
    for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, letGo, { once: true });
  });
  host.addEventListener("click", () => (isPressed = false), true); // what it does is drawn at once
  return (draw) => {
    waiting = isPressed ? draw : null;
    if (!isPressed) draw();
  };
}

// Whether it is the second click of a double click, which was meant for what the first one has changed.
export const isSecondClick = ({ detail }) => detail > 1;

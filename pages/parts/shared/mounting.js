// Streamlit calls a component on every change of its data, and runs only the last cleanup it was given.
// In: a class, and what Streamlit gives. Out: the cleanup. What was made stays with its element, as long as its `update`
// takes the new data; where that is false it is disposed of, and made again.

const MOUNTED = new WeakMap();

export function mountOnce(Made, component) {
  const { parentElement } = component;
  const mounted = MOUNTED.get(parentElement);
  if (!mounted?.update(component)) {
    mounted?.dispose();
    MOUNTED.set(parentElement, new Made(component));
  }
  return () => {
    MOUNTED.get(parentElement)?.dispose();
    MOUNTED.delete(parentElement);
  };
}

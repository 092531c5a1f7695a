// The reader as Streamlit mounts it: an article is built once, and stays as it is under the expert's hands.

import { mountOnce } from "../shared/mounting.js";
import { Reader } from "./reader.js";

export default function mountReader(component) {
  return mountOnce(Reader, component);
}

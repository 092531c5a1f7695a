// The browser's own storage: its content outlives a reload and the end of the browser.
// In: a key and a value that JSON can hold. Out: the value, or null where there is none.
// Nothing here throws, though localStorage does when it is blocked and when it is full.

export const storage = {
  // True when the value is stored.
  put(key, value) {
    try {
      localStorage.setItem(key, JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  },
  remove(key) {
    try {
      localStorage.removeItem(key);
    } catch {
      // Blocked: then nothing was kept under this key either.
    }
  },
  read(key) {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null; // blocked, or not ours: leave it alone
    }
  },
  keys(prefix) {
    try {
      return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
    } catch {
      return [];
    }
  },
};

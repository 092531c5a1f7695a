// One request to the server. In: an address and a message. Out: the server's answer, and whether the session is over.

const KEEPALIVE_BYTES = 60_000; // browsers refuse more than 64 KiB of requests that outlive their page
const REQUEST_TIMEOUT_MS = 15_000;

// A fresh token cures these, trying again does not.
const SESSION_ERRORS = new Set(["expired", "bad signature", "logged out", "not allowed"]);

// `expired` says why only a page loaded again has a token that the server takes, and is empty otherwise.
// Throws without a network, after a time-out, and when something else than the server answers.
export async function postJson(endpoint, message) {
  const body = JSON.stringify(message);
  const response = await fetch(endpoint, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body,
    keepalive: new TextEncoder().encode(body).length < KEEPALIVE_BYTES,
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const answer = await response.json();
  const isOver = [401, 403].includes(response.status) && SESSION_ERRORS.has(answer.error);
  return { ok: response.ok, expired: isOver ? answer.error : "", answer };
}

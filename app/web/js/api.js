// Talks to the server (docs/web-api.md). A failed request is a ServerError: `status` 0 where nothing answered, 503 where the server stops or lacks something for now.
export class ServerError extends Error {
  constructor(message, status, retryAfterSeconds = null) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  // It may go well a moment later, without anybody doing something on this page.
  get passes() {
    return this.status === 0 || this.status === 503;
  }
}

async function request(method, path, body, signal) {
  let response;
  try {
    response = await fetch(`/api/${path}`, {
      method, signal, cache: "no-store",
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError("The server does not answer: is `wari serve` still running?", 0);
  }
  const text = await response.text().catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new ServerError("The server's answer broke off.", 0);
  });
  let answer = null;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new ServerError(`The server answered ${response.status} with something that is not JSON.`, response.status);
  }
  if (!response.ok) {
    throw new ServerError(answer.error ?? `The server answered ${response.status}.`, response.status, Number(response.headers.get("Retry-After")) || null);
  }
  return answer;
}

export const get = (path, signal) => request("GET", path, undefined, signal);
export const post = (path, body, signal) => request("POST", path, body, signal);
export const remove = (path) => request("DELETE", path);

const pause = (seconds, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 1000 * seconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });

// As post(), but waits its turn where the server has too many searches at once (429).
export async function postPatiently(path, body, signal) {
  for (let tries = 0; ; ++tries) {
    try {
      return await post(path, body, signal);
    } catch (error) {
      if (error.status !== 429 || tries >= 20) throw error;
      await pause(Math.min(error.retryAfterSeconds ?? 1, 5), signal);
    }
  }
}

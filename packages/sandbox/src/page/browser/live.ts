import { type LiveState, setLive } from "./live-state.ts";
import { refresh } from "./visit.ts";

const changesAddress = "/_sandbox/changes";
const channelName = "doorcode-sandbox";
/** A page that nobody sees need not hurry: its title is all there is of it. */
const hiddenPauseMilliseconds = 1000;

type News = { readonly state: LiveState } | { readonly question: true };

/**
 * Follows what happens on the server.
 *
 * A browser opens six connections to a server and no more, so of many tabs only one listens, and tells the others; when
 * it is closed, the next one does.
 */
export function startLive(): void {
  const channel = new BroadcastChannel(channelName);
  let state: LiveState | undefined;
  const hear = (next: LiveState) => {
    setLive(next);
    if (next === "live") refreshSoon();
  };
  const tell = (next: LiveState) => {
    state = next;
    channel.postMessage({ state } satisfies News);
    hear(next);
  };
  channel.onmessage = ({ data }: MessageEvent<News>) => {
    if ("state" in data) hear(data.state);
    else if (state) channel.postMessage({ state } satisfies News);
  };
  channel.postMessage({ question: true } satisfies News);

  if (!navigator.locks) listen(tell);
  else void navigator.locks.request(channelName, () => new Promise<never>(() => listen(tell)));
  document.addEventListener("visibilitychange", () => document.hidden || refreshSoon());
}

function listen(tell: (state: LiveState) => void): void {
  const changes = new EventSource(changesAddress);
  changes.onmessage = () => tell("live");
  changes.onerror = () => tell("lost");
}

let waiting = false;

function refreshSoon(): void {
  if (waiting) return;
  waiting = document.hidden;
  if (!waiting) void refresh();
  else setTimeout(refreshLate, hiddenPauseMilliseconds);
}

function refreshLate(): void {
  waiting = false;
  void refresh();
}

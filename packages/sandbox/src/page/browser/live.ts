import { type LiveStatus, showLiveStatus } from "./shown-page.ts";
import { refresh } from "./visit.ts";

const changesUrl = "/_sandbox/changes";
const channelName = "doorcode-sandbox";
/** A hidden page only updates its title, so it can wait. */
const hiddenPauseMilliseconds = 1000;
const retryMilliseconds = 3000;

type TabMessage = { readonly status: LiveStatus } | { readonly isQuestion: true };

/**
 * Updates the page after changes on the server.
 *
 * A browser opens at most six connections to a server. So only one of several tabs listens, and it informs the others. When
 * it is closed, the next tab listens.
 */
export function startLiveUpdates(): void {
  const channel = new BroadcastChannel(channelName);
  let current: LiveStatus | undefined;
  const handle = (status: LiveStatus) => {
    showLiveStatus(status);
    if (status === "live") refreshSoon();
  };
  const publish = (status: LiveStatus) => {
    current = status;
    channel.postMessage({ status } satisfies TabMessage);
    handle(status);
  };
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if ("status" in data) handle(data.status);
    else if (current) channel.postMessage({ status: current } satisfies TabMessage);
  };
  channel.postMessage({ isQuestion: true } satisfies TabMessage);

  if (!navigator.locks) listen(publish);
  else void navigator.locks.request(channelName, () => new Promise<never>(() => listen(publish)));
  document.addEventListener("visibilitychange", () => document.hidden || refreshSoon());
}

function listen(publish: (status: LiveStatus) => void): void {
  const changes = new EventSource(changesUrl);
  changes.onmessage = () => publish("live");
  changes.onerror = () => {
    publish("lost");
    if (changes.readyState !== EventSource.CLOSED) return;
    // The server has refused, or a proxy in place of it. Loading the page shows why.
    void refresh();
    setTimeout(listen, retryMilliseconds, publish);
  };
}

let isWaiting = false;

function refreshSoon(): void {
  if (isWaiting) return;
  if (!document.hidden) {
    void refresh();
    return;
  }
  isWaiting = true;
  setTimeout(() => {
    isWaiting = false;
    void refresh();
  }, hiddenPauseMilliseconds);
}

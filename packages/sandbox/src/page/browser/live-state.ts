/** Whether news come by themselves. */
export type LiveState = "live" | "lost";

const words: Readonly<Record<LiveState, string>> = { live: "Live", lost: "Not connected" };

/** Says whether news come by themselves; only a change is said. */
export function setLive(state: LiveState): void {
  const live = document.getElementById("live");
  if (!live || live.dataset.state === state) return;
  live.dataset.state = state;
  live.textContent = words[state];
}

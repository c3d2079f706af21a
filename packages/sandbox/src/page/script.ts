/** The page's script: copies codes, and renews `main` when the server says that something changed. */
export const script: string = `
const live = document.getElementById("live");
const say = (text, on) => { live.textContent = text; live.classList.toggle("on", on); };

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.classList.add("copied");
  say("copied", true);
});

async function renew() {
  const answer = await fetch("/_sandbox/page");
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
  for (const { id } of document.querySelectorAll("details[open]")) {
    fresh.querySelector("#" + CSS.escape(id))?.setAttribute("open", "");
  }
  const focused = document.activeElement?.dataset?.copy;
  document.querySelector("main").replaceWith(fresh);
  if (focused) fresh.querySelector('[data-copy="' + CSS.escape(focused) + '"]')?.focus();
}

const changes = new EventSource("/_sandbox/changes");
changes.onopen = () => say("live", true);
changes.onerror = () => say("not connected", false);
changes.onmessage = () => renew().catch(() => say("not connected", false));
`;

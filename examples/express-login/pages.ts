import { type CodeSentState, type LoginState, problemTitle } from "@doorcode/core";
import type { HandledWebhook } from "./kit.ts";
import type { User } from "./users.ts";

/**
 * Renders the login page. It works without scripts: the kit redirects each form back here, or to the account.
 *
 * @param challenge - the HTML of a challenge, for the form that asks for a code.
 */
export function loginPage(state: LoginState, query: Readonly<Record<string, unknown>>, challenge = ""): string {
  const next = typeof query.next === "string" ? query.next : "";
  const form = state.status === "code_sent" ? codeForms(state, next) : phoneForm(next, challenge);
  return page("Log in", `<h1>Log in</h1>${problem(query)}${form}`);
}

/** Renders the guarded account page. */
export function accountPage(user: User, handled: readonly HandledWebhook[]): string {
  const rows = handled.map(({ kind, status }) => `<li><code>${escapeHtml(kind)}</code> ${escapeHtml(status)}</li>`);
  return page(
    "Your account",
    `<h1>Hello</h1>
    <p>You are logged in as <strong>${escapeHtml(user.phone)}</strong>.</p>
    <h2>Handled webhooks</h2>
    <ul>${rows.join("") || "<li>None yet. Reload the page in a moment.</li>"}</ul>
    <form method="post" action="/login/logout"><button>Log out</button></form>`,
  );
}

function phoneForm(next: string, challenge: string): string {
  return `<form method="post" action="/login/start">
    <label for="phone">Phone number</label>
    <input id="phone" name="phone" type="tel" autocomplete="tel" placeholder="+49 151 23456789" required autofocus>
    ${hidden("next", next)}
    ${challenge}
    <button>Send me a code</button>
  </form>`;
}

function codeForms(state: CodeSentState, next: string): string {
  const common = hidden("transaction", state.transaction) + hidden("next", next);
  const lastAttempt = state.delivery?.attempts.at(-1);
  const sentBy = lastAttempt
    ? ` by ${escapeHtml(lastAttempt.channel)} (${escapeHtml(lastAttempt.status.toLowerCase())})`
    : "";
  const pause = state.checkInSeconds > 0 ? ` You can try the next code in ${state.checkInSeconds} seconds.` : "";
  return `<p>We sent a code to <strong>${escapeHtml(state.phone)}</strong>${sentBy}. Attempts left: ${state.attemptsLeft}.${pause}</p>
  <form method="post" action="/login/confirm">
    <label for="code">Code</label>
    <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]*" required autofocus>
    ${common}
    <button>Log in</button>
  </form>
  <div class="row">
    <form method="post" action="/login/resend">${common}<button class="quiet">Send another code</button></form>
    <form method="post" action="/login/cancel">${common}<button class="quiet">Use another number</button></form>
  </div>`;
}

function problem({ problem: code, retryAfterSeconds }: Readonly<Record<string, unknown>>): string {
  const title = typeof code === "string" ? problemTitle(code) : undefined;
  if (title === undefined) return "";
  const hasWait = typeof retryAfterSeconds === "string" && /^\d{1,6}$/.test(retryAfterSeconds);
  return `<p role="alert">${escapeHtml(title)}${hasWait ? ` Try again in ${retryAfterSeconds} seconds.` : ""}</p>`;
}

function hidden(name: string, value: string): string {
  return value === "" ? "" : `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>
  :root { color-scheme: light dark; --accent: light-dark(#3538cd, #a4bcfd); --line: light-dark(#d0d5dd, #475467) }
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 24rem; margin: 12vh auto; padding: 0 1.25rem }
  h1 { font-size: 1.6rem; margin: 0 0 1rem } h2 { font-size: 1rem; margin: 2rem 0 .5rem }
  form { display: grid; gap: .5rem; margin: 1rem 0 } .row { display: flex; gap: .75rem; flex-wrap: wrap }
  label { font-weight: 600 }
  input, button { font: inherit; padding: .65rem .8rem; border-radius: .5rem; border: 1px solid var(--line) }
  input:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
  button { background: var(--accent); border-color: var(--accent); color: light-dark(#fff, #101828); cursor: pointer }
  button.quiet { background: none; color: inherit; border-color: var(--line) }
  #code { letter-spacing: .3em; font-variant-numeric: tabular-nums }
  [role=alert] { border-left: .25rem solid light-dark(#d92d20, #f97066); padding-left: .75rem }
</style>
</head>
<body>${body}</body>
</html>`;
}

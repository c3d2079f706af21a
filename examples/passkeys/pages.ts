import { backToAccount, escapeHtml, loginPage } from "../express-login/pages.ts";
import type { Passkey } from "./accounts.ts";

const words = {
  "sign-in": "Log in with a passkey",
  "step-up": "Confirm with a passkey",
  registration: "Create a passkey",
};

/**
 * Renders the button of a ceremony, and the script that runs it. It is hidden until the script has found that the browser knows
 * passkeys.
 */
export function passkeyButton(ceremony: keyof typeof words): string {
  return `<form data-passkey="${ceremony}" hidden><button>${words[ceremony]}</button><p role="alert"></p></form>
    <script type="module" src="/passkeys/browser.js"></script>`;
}

/** Renders the account page. A user without a passkey is offered one. */
export function accountPage(phone: string | null | undefined, passkeys: readonly Passkey[]): string {
  const offer = `<section><h2>Next time without a text</h2>
    <p>A passkey logs you in with your finger, your face or the lock of your screen.</p>
    ${passkeyButton("registration")}</section>`;
  const list = `<section><h2>Your passkeys</h2><ul>${passkeys.map((passkey) => `<li>${describe(passkey)}</li>`).join("")}</ul>
    <a class="button" href="/passkeys">Add or remove a passkey</a></section>`;
  return loginPage(
    "Your account",
    `<p>You are logged in${phone ? ` as <strong>${escapeHtml(phone)}</strong>` : ""}.</p>
    <form method="post" action="/login/logout"><button>Log out</button></form>
    ${passkeys.length === 0 ? offer : list}
    <section><h2>Your number</h2><p>${phone ? escapeHtml(phone) : "You have no number."}</p>
    <a class="button" href="/number">${phone ? "Remove the number" : "Add a number"}</a></section>`,
  );
}

/** Renders the page on which passkeys are added and removed. */
export function passkeysPage(passkeys: readonly Passkey[], problem: string): string {
  const rows = passkeys.map(
    (passkey) => `<li>${describe(passkey)}<form method="post" action="/passkeys/removal">
      <input type="hidden" name="id" value="${escapeHtml(passkey.id)}">
      <button aria-label="Remove the passkey of ${escapeHtml(passkey.name)}">Remove</button></form></li>`,
  );
  const alert = problem === "" ? "" : `<p role="alert">${escapeHtml(problem)}</p>`;
  return loginPage(
    "Your passkeys",
    `${alert}<ul>${rows.join("") || "<li>You have no passkey yet.</li>"}</ul>
    ${passkeyButton("registration")}${backToAccount}`,
  );
}

function describe({ name, createdAt, lastUsedAt }: Passkey): string {
  const used = lastUsedAt === null ? "Not used yet" : `Last used ${dayOf(lastUsedAt)}`;
  return `<span>${escapeHtml(name)}<br><small>Created ${dayOf(createdAt)}<br>${used}</small></span>`;
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

import { readFileSync } from "node:fs";
import { phoneLoginScript, phoneLoginStyle } from "@doorcode/browser/server";
import type { HandledWebhook } from "./kit.ts";
import type { User } from "./users.ts";

/** The files that the pages load. They come from the app itself, so that nothing else has to be allowed. */
export const assets = [
  { path: "/phone-login.js", type: "text/javascript", text: phoneLoginScript },
  { path: "/phone-login.css", type: "text/css", text: phoneLoginStyle },
  { path: "/app.css", type: "text/css", text: readFileSync(new URL("app.css", import.meta.url), "utf8") },
] as const;

/** Returns the headers of every page. `script` is the origin of a script that another example loads. */
export function securityHeaders(script = ""): Record<string, string> {
  return {
    "cache-control": "no-store",
    "content-security-policy": `default-src 'self' ${script}; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
  };
}

/** The way back, for whoever does not want to go on. */
export const backToAccount = '<p><a href="/account">Back to your account</a></p>';

/** Renders a page with a login, a step-up or a second number. It works without scripts. */
export function loginPage(title: string, form: string, lang?: string): string {
  return page(title, `<h1>${title}</h1>${form}`, lang);
}

/**
 * Renders the guarded account page.
 *
 * @param sections - the HTML of what another example adds.
 */
export function accountPage(user: User, handled: readonly HandledWebhook[], sections = ""): string {
  const rows = handled.map(({ kind, status }) => `<li><code>${escapeHtml(kind)}</code> ${escapeHtml(status)}</li>`);
  return page(
    "Your account",
    `<h1>Your account</h1>
    <p>You are logged in as <strong>${escapeHtml(user.phone)}</strong>.</p>
    <form method="post" action="/login/logout"><button>Log out</button></form>
    ${sections}
    <section><h2>Handled webhooks</h2>
    <ul>${rows.join("") || "<li>None yet. Reload the page in a moment.</li>"}</ul></section>`,
  );
}

function page(title: string, body: string, lang = "en"): string {
  return `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/app.css">
<link rel="stylesheet" href="/phone-login.css">
<script type="module" src="/phone-login.js"></script>
</head>
<body><main>${body}</main></body>
</html>`;
}

/** Escapes a text for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

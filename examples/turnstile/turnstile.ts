import { isIP } from "node:net";

/** Cloudflare Turnstile: a challenge that most people solve without noticing. */
export interface Turnstile {
  /** The HTML of the challenge. It adds its token to the form as the field `challenge`, which Doorcode passes on. */
  readonly widget: { readonly html: string; readonly origin: string };
  /** Asks Turnstile whether a token is right. It is right once, for five minutes. */
  verify(token: string, address: string, signal: AbortSignal): Promise<boolean>;
}

const origin = "https://challenges.cloudflare.com";

/**
 * Creates the challenge.
 *
 * @throws Error if a key is missing
 */
export function createTurnstile({
  TURNSTILE_SITE_KEY: siteKey,
  TURNSTILE_SECRET_KEY: secret,
  TURNSTILE_VERIFY_URL: url = `${origin}/turnstile/v0/siteverify`,
}: NodeJS.ProcessEnv): Turnstile {
  if (!siteKey || !secret)
    throw new Error("Set TURNSTILE_SITE_KEY and TURNSTILE_SECRET_KEY to the keys of your widget.");
  return {
    widget: {
      origin,
      html: `<div class="cf-turnstile" data-sitekey="${encodeURIComponent(siteKey)}" data-response-field-name="challenge"></div>
    <script src="${origin}/turnstile/v0/api.js" async defer></script>`,
    },
    async verify(token, address, signal) {
      const form = new URLSearchParams({ secret, response: token });
      // Doorcode knows an IPv6 address by its /64 only.
      if (isIP(address) !== 0) form.set("remoteip", address);
      const response = await fetch(url, { method: "POST", body: form, signal });
      // If Turnstile is down this rejects, and beforeSendFails decides.
      const { success } = (await response.json()) as { readonly success?: unknown };
      return success === true;
    },
  };
}

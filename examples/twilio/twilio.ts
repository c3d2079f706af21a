import { type CodeStrategyFactory, providerCodes } from "@doorcode/core";

/**
 * Lets Twilio Verify create, send and check the codes.
 *
 * @throws Error if a key is missing
 * @see https://www.twilio.com/docs/verify/api
 */
export function twilioCodes({
  TWILIO_ACCOUNT_SID: account,
  TWILIO_AUTH_TOKEN: token,
  TWILIO_VERIFY_SERVICE_SID: service,
  TWILIO_VERIFY_URL: url = "https://verify.twilio.com/v2",
}: NodeJS.ProcessEnv): CodeStrategyFactory {
  if (!account || !token || !service) {
    throw new Error(
      "Set TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_VERIFY_SERVICE_SID to those of your account.",
    );
  }
  const authorization = `Basic ${Buffer.from(`${account}:${token}`).toString("base64")}`;

  /** Posts a form, and returns the answer as far as it is needed. */
  async function post(path: string, form: Record<string, string>, signal: AbortSignal) {
    const body = new URLSearchParams(form);
    const response = await fetch(`${url}/Services/${service}/${path}`, {
      method: "POST",
      headers: { authorization },
      body,
      signal,
    });
    const { sid = "", status } = (await response.json()) as { readonly sid?: string; readonly status?: unknown };
    return { http: response.status, sid, status };
  }

  return providerCodes({
    codeLength: 6,
    channels: ["SMS", "WHATSAPP"],
    async send({ phone, channel, signal }) {
      const { http, sid } = await post("Verifications", { To: phone, Channel: channel.toLowerCase() }, signal);
      if (http === 201) return { id: sid };
      // 400 and 403 are about this number; anything else is about the account or the network.
      return http === 400 || http === 403 ? "refused" : "unavailable";
    },
    async check({ id, code, signal }) {
      const { http, status } = await post("VerificationCheck", { VerificationSid: id, Code: code }, signal);
      // Twilio forgets a verification that was approved, has expired or had five wrong codes.
      if (http === 404) return "ended";
      if (http === 429) return "exhausted";
      if (http !== 200) throw new Error(`Twilio answered ${http}.`);
      return status === "approved";
    },
  });
}

import type { EndpointFinding } from "../options.ts";
import { countText, nounText } from "../page/format.ts";
import { Status, type Tone } from "../page-parts.ts";
import { sinceChoices } from "../views/webhooks.tsx";
import type { Action } from "./action.ts";

const tones: Readonly<Record<EndpointFinding["level"], Tone>> = { ok: "good", warning: "warn", problem: "bad" };
const labels: Readonly<Record<EndpointFinding["level"], string>> = {
  ok: "Good",
  warning: "Warning",
  problem: "Problem",
};

/** Sends test deliveries to the endpoint. */
export const checkWebhooks: Action = {
  name: "check_endpoint",
  view: "webhooks",
  ask: async () => ({ question: "Send test deliveries to your endpoint? They change nothing.", yes: "Check" }),
  async run({ options }) {
    if (!options.checkEndpoint) return { outcome: "failed", text: "The page was mounted without checkEndpoint." };
    const findings = await options.checkEndpoint();
    const problems = findings.filter(({ level }) => level === "problem").length;
    const details = (
      <ul class="items">
        {findings.map(({ level, text, fix }) => (
          <li>
            <Status tone={tones[level]}>{labels[level]}</Status>
            <span>
              {text} {fix && <strong>{fix}</strong>}
            </span>
          </li>
        ))}
      </ul>
    );
    if (problems === 0) return { outcome: "done", text: "The endpoint works.", details };
    const text = `${nounText(problems, "problem")} of the endpoint: see below.`;
    return { outcome: "done", caution: "Found.", text, details };
  },
};

/** Asks the service for the changes whose webhooks were lost. */
export const reconcile: Action = {
  name: "reconcile",
  view: "webhooks",
  ask: async (_context, { seconds = "" }) => ({
    question: `Ask the service for every change since ${sinceChoices[seconds] ?? "then"}? What was handled before stays as it is.`,
    yes: "Reconcile",
  }),
  async run({ doorcode, now }, { seconds = "" }) {
    if (sinceChoices[seconds] === undefined) return { outcome: "failed", text: "Choose since when." };
    const { listed, accepted, failed } = await doorcode.messages.reconcile({
      since: new Date(now - Number(seconds) * 1000),
    });
    const text = `The service listed ${nounText(listed, "message")}. ${nounText(accepted + failed, "change")} ${accepted + failed === 1 ? "was" : "were"} missing, and ${countText(failed)} of them failed.`;
    // Finding that nothing was missing is a success, too.
    return {
      outcome: "done",
      target: `since ${sinceChoices[seconds]}`,
      text,
      ...(failed > 0 && { caution: "Partly." }),
    };
  },
};

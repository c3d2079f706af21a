import { randomBytes } from "node:crypto";
import { signDelivery } from "@doorcode/core";
import {
  clockOption,
  createCheckBody,
  isLoopbackOrigin,
  parseOptions,
  refusePublished,
  strictOptions,
  wholeNumberOption,
} from "@doorcode/core/adapter";
import type { Clock } from "@doorcode/core/store";
import { z } from "zod";
import { type Finding, problem } from "./finding.ts";
import {
  clockOff,
  clockOffsetSeconds,
  isAccepted,
  judgeAcceptance,
  judgeForged,
  judgeOld,
  oldSeconds,
  toleranceSeconds,
} from "./judge-acceptance.ts";
import { judgeFailure } from "./judge-failure.ts";
import { judgeRefusal } from "./judge-refusal.ts";
import { postDelivery } from "./post-delivery.ts";

/** Options of {@link checkEndpoint}. */
export interface EndpointCheckOptions {
  /** The webhook endpoint: an http or https URL without user name and password. */
  readonly url: string;
  /** The application's signing secret. */
  readonly secret: string;
  /** The time for each answer, in milliseconds. Default: 5000, the service's limit. */
  readonly timeoutMilliseconds?: number;
  /** The clock that deliveries are signed with, for tests. Default: the machine's clock. */
  readonly clock?: Clock;
}

const expectedUrl =
  "expected an http or https URL without user name and password, such as https://app.example.com/webhooks";
const expectedSecret = "expected the signing secret of the application";

const shape = strictOptions({
  url: z.string(expectedUrl).refine(isEndpointUrl, expectedUrl),
  secret: z.string(expectedSecret).min(1, expectedSecret),
  timeoutMilliseconds: wholeNumberOption(1, 2_147_483_647).default(5000),
  clock: clockOption,
});

/**
 * Checks a webhook endpoint by signed test deliveries, three at most: a correct one, one with a wrong signature, and one that is
 * too old. Returns the findings, in order; the endpoint works if none is a `problem`. Everything that the endpoint does is a finding, and no rejection.
 *
 * The test deliveries run no handler: the kit acknowledges them after the verification. So the check does not show whether
 * handlers are fast enough, and whether the store and the inbox can be reached.
 *
 * @throws TypeError for a wrong option, such as an empty secret or a URL that is not http or https, and for the sandbox's secret with a URL
 * of another machine
 * @see "Receiver contract" and "Receiver verification, in order" of the specification
 */
export async function checkEndpoint(options: EndpointCheckOptions): Promise<readonly Finding[]> {
  const { url, secret, timeoutMilliseconds, clock } = parseOptions("checkEndpoint", shape, options);
  const refusal = refusePublished(secret, url, "url", "give the signing secret of the application that delivers there");
  if (refusal !== undefined) throw new TypeError(`checkEndpoint: secret ${refusal}.`);
  const send = (secret: string, offsetSeconds = 0) => {
    const body = createCheckBody();
    const timestampSeconds = Math.floor(clock.now() / 1000) + offsetSeconds;
    const headers = signDelivery({ secret, body, timestampSeconds });
    return postDelivery({ url, headers, body, timeoutMilliseconds, clock });
  };

  const first = await send(secret);
  const findings = judgeTransport(url);
  if ("failure" in first) return [...findings, judgeFailure(first.failure, url, timeoutMilliseconds)];
  const offsetSeconds = clockOffsetSeconds(first);
  if (!isAccepted(first)) {
    const isOff = first.status === 401 && Math.abs(offsetSeconds) >= toleranceSeconds - 1;
    // Signed at the endpoint's own time: if that is accepted, the clock was the reason.
    const again = isOff ? await send(secret, offsetSeconds) : undefined;
    const isClock = again !== undefined && isAccepted(again);
    return [...findings, isClock ? clockOff(offsetSeconds) : judgeRefusal(first, url)];
  }
  findings.push(...judgeAcceptance(first, offsetSeconds));
  if (findings.some(({ code }) => code === "web_page")) return findings;
  findings.push(judgeForged(await send(randomBytes(32).toString("hex"))));
  findings.push(judgeOld(await send(secret, -oldSeconds)));
  return findings;
}

function isEndpointUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
}

function judgeTransport(url: string): Finding[] {
  if (url.startsWith("https:") || isLoopbackOrigin(new URL(url).origin)) return [];
  const fix = "Put the endpoint behind https, and register that URL.";
  return [problem("not_https", "The service delivers to https URLs only.", fix)];
}

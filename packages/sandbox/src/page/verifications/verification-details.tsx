import { isoInstant } from "../../primitives/time.ts";
import { Card, Facts } from "../components/card.tsx";
import { CodeChip, CopyButton } from "../components/copy-button.tsx";
import type { Html } from "../components/html.ts";
import { Countdown, Instant } from "../components/instant.tsx";
import { BackLink } from "../components/navigation.tsx";
import { applicationPath, threadPath } from "../components/paths.ts";
import { Status, statusText, toneOf } from "../components/status.tsx";
import { Timeline } from "../components/timeline.tsx";
import { ChannelChain } from "./channel-chain.tsx";
import type { VerificationResult } from "./verification-query.ts";
import { verificationTimeline } from "./verification-timeline.ts";

/** The properties of {@link VerificationDetails}. */
export interface VerificationDetailsProps {
  /** The verification and its related records. */
  readonly result: VerificationResult;
  /** Now, in Unix milliseconds on the application's clock. */
  readonly now: number;
  /** Number of wrong codes after which a verification fails. */
  readonly maxAttempts: number;
}

/** Shows one verification with its timeline. */
export function VerificationDetails({ result, now, maxAttempts }: VerificationDetailsProps): Html {
  const { verification, channels, messages } = result;
  const { applicationId, recipient, status, code } = verification;
  const [message] = messages;
  return (
    <>
      <div class="view-head">
        <BackLink href={applicationPath(applicationId, "verifications")} label="All verifications" />
        <h1 class="number">{recipient}</h1>
        <Status tone={toneOf(status)}>{statusText(status)}</Status>
        <span class="push" />
        {message && (
          <a class="button quiet" href={threadPath(applicationId, message)}>
            Thread
          </a>
        )}
      </div>
      <Card id="code" title="Code">
        <div class="row code-row">
          <CodeChip code={code} />
          <ChannelChain channels={channels} />
        </div>
        <Facts facts={facts(verification, now, maxAttempts)} />
      </Card>
      <Card
        id="timeline"
        title="Timeline"
        lead="Channels, codes, webhooks and faults, in the order in which they happened."
      >
        <Timeline entries={verificationTimeline(result)} label="Timeline of the verification" />
      </Card>
    </>
  );
}

function facts(verification: VerificationResult["verification"], now: number, maxAttempts: number) {
  const { id, requestId, wrongCodes, customOtp, createdAt, concludedAt, expiresAtMilliseconds, status } = verification;
  const expiry = isoInstant(expiresAtMilliseconds);
  const isOpen = status === "PENDING" && !customOtp;
  return [
    ["Wrong codes", customOtp ? "checked by the caller" : `${wrongCodes} of ${maxAttempts}`],
    [
      "Expires",
      isOpen ? <Countdown until={expiry} now={now} /> : customOtp ? "never" : <Instant at={expiry} now={now} />,
    ],
    ["Created", <Instant at={createdAt} now={now} />],
    ["Ended", concludedAt === undefined ? "not yet" : <Instant at={concludedAt} now={now} />],
    ["verification_id", <Id text={id} />],
    ["request_id", <Id text={requestId} />],
  ] as const;
}

function Id({ text }: { readonly text: string }): Html {
  return (
    <span class="id">
      <code>{text}</code> <CopyButton text={text} label="the id" bare />
    </span>
  );
}

import { address, threadAddress } from "../address.ts";
import { BackLink } from "../controls/back-link.tsx";
import { Card, Facts } from "../controls/card.tsx";
import { CodeChip, CopyButton } from "../controls/copy.tsx";
import { Status, statusWord, toneOf } from "../controls/status.tsx";
import { Timeline } from "../controls/timeline.tsx";
import { Countdown } from "../duration.tsx";
import type { Html } from "../html.ts";
import { Instant } from "../instant.tsx";
import { ChannelChain } from "./channel-chain.tsx";
import { verificationTimeline } from "./verification-timeline.ts";
import type { VerificationView } from "./verification-view.ts";

/** What {@link VerificationPage} shows. */
export interface VerificationPageProps {
  readonly view: VerificationView;
  readonly now: number;
  /** Wrong codes that are evaluated. */
  readonly attemptsLimit: number;
}

/** One verification with everything that happened to it. */
export function VerificationPage({ view, now, attemptsLimit }: VerificationPageProps): Html {
  const { verification, channels, messages } = view;
  const { applicationId, recipient, status, code } = verification;
  const [message] = messages;
  return (
    <>
      <div class="view-head">
        <BackLink href={address(applicationId, "verifications")} label="All verifications" />
        <h1 class="number">{recipient}</h1>
        <Status tone={toneOf(status)}>{statusWord(status)}</Status>
        <span class="push" />
        {message && (
          <a class="button quiet" href={threadAddress(applicationId, message)}>
            Thread
          </a>
        )}
      </div>
      <Card id="code" title="Code">
        <div class="row code-row">
          <CodeChip code={code} />
          <ChannelChain channels={channels} />
        </div>
        <Facts facts={facts(verification, now, attemptsLimit)} />
      </Card>
      <Card
        id="timeline"
        title="Timeline"
        lead="Channels, codes, webhooks and faults, in the order in which they happened."
      >
        <Timeline entries={verificationTimeline(view)} label="What happened" />
      </Card>
    </>
  );
}

function facts(verification: VerificationView["verification"], now: number, limit: number) {
  const { id, requestId, wrongCodes, customOtp, createdAt, concludedAt, expiresAtMilliseconds, status } = verification;
  const expiry = new Date(expiresAtMilliseconds).toISOString();
  const isOpen = status === "PENDING" && !customOtp;
  return [
    ["Wrong codes", customOtp ? "the caller checks its own code" : `${wrongCodes} of ${limit}`],
    [
      "Expires",
      isOpen ? <Countdown until={expiry} now={now} /> : customOtp ? "never" : <Instant at={expiry} now={now} />,
    ],
    ["Created", <Instant at={createdAt} now={now} />],
    ["Concluded", concludedAt === undefined ? "not yet" : <Instant at={concludedAt} now={now} />],
    ["verification_id", <Id text={id} />],
    ["request_id", <Id text={requestId} />],
  ] as const;
}

function Id({ text }: { readonly text: string }): Html {
  return (
    <span class="id">
      <code>{text}</code> <CopyButton text={text} what="the id" bare />
    </span>
  );
}

import { isoInstant } from "../../primitives/time.ts";
import { EmptyNote } from "../components/card.tsx";
import { CodeChip } from "../components/copy-button.tsx";
import { FilterForm } from "../components/filter-form.tsx";
import { type Html, nothing } from "../components/html.ts";
import { Countdown, Instant } from "../components/instant.tsx";
import { OlderLink } from "../components/navigation.tsx";
import { applicationPath, withQuery } from "../components/paths.ts";
import { Status, statusText, toneOf } from "../components/status.tsx";
import { ChannelChain } from "./channel-chain.tsx";
import type { VerificationRow, VerificationsResult } from "./verification-query.ts";

/** The properties of {@link VerificationList}. */
export interface VerificationListProps {
  /** The verifications to show. */
  readonly result: VerificationsResult;
  /** Now, in Unix milliseconds on the application's clock. */
  readonly now: number;
  /** Number of wrong codes after which a verification fails. */
  readonly maxAttempts: number;
}

/** Shows the verifications, the newest first. */
export function VerificationList(props: VerificationListProps): Html {
  const { applicationId, search, total, page } = props.result;
  const path = applicationPath(applicationId, "verifications");
  return (
    <>
      <div class="view-head">
        <h1>Verifications</h1>
        <span class="soft">{total.toLocaleString("en")}</span>
        <span class="push" />
        <FilterForm action={path} search={search} label="Number, code or id" />
      </div>
      <ul class="records">
        {page.items.map((row) => (
          <Row row={row} {...props} />
        ))}
      </ul>
      {page.items.length === 0 && (
        <EmptyNote>
          {search === ""
            ? "No verifications yet. Each POST /verifications appears here, with its channels and codes."
            : "Nothing matches."}
        </EmptyNote>
      )}
      <OlderLink href={page.older && withQuery(path, { q: search, before: page.older })} items="verifications" />
    </>
  );
}

function Row({
  row: { verification, channels },
  now,
  maxAttempts,
}: VerificationListProps & { readonly row: VerificationRow }): Html {
  const { id, applicationId, recipient, code, status, createdAt, wrongCodes } = verification;
  return (
    <li id={`row-${id}`} class="record">
      <a href={applicationPath(applicationId, "verifications", id)} id={`link-${id}`} data-row>
        <span class="line">
          <strong class="number">{recipient}</strong>
          <Status tone={toneOf(status)}>{statusText(status)}</Status>
          <span class="soft">{wrongCodes === 0 ? "" : `${wrongCodes} of ${maxAttempts} wrong codes`}</span>
          <span class="push" />
          <Instant at={createdAt} now={now} />
        </span>
        <span class="line">
          <ChannelChain channels={channels} />
          <span class="push" />
          <Expiry verification={verification} now={now} />
        </span>
      </a>
      <CodeChip code={code} small />
    </li>
  );
}

interface ExpiryProps {
  readonly verification: VerificationRow["verification"];
  readonly now: number;
}

function Expiry({ verification, now }: ExpiryProps): Html {
  const { status, customOtp, expiresAtMilliseconds } = verification;
  if (status !== "PENDING" || customOtp) return nothing;
  return (
    <span class="soft">
      expires <Countdown until={isoInstant(expiresAtMilliseconds)} now={now} />
    </span>
  );
}

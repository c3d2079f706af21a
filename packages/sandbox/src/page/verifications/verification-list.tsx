import { address, withQuery } from "../address.ts";
import { Empty, Older } from "../controls/card.tsx";
import { CodeChip } from "../controls/copy.tsx";
import { FilterForm } from "../controls/filter-form.tsx";
import { Status, statusWord, toneOf } from "../controls/status.tsx";
import { Countdown } from "../duration.tsx";
import { type Html, nothing } from "../html.ts";
import { Instant } from "../instant.tsx";
import { ChannelChain } from "./channel-chain.tsx";
import type { VerificationRow, VerificationsView } from "./verification-view.ts";

/** What {@link VerificationList} shows. */
export interface VerificationListProps {
  readonly view: VerificationsView;
  /** Now, on the clock of the application. */
  readonly now: number;
  /** Wrong codes that are evaluated. */
  readonly attemptsLimit: number;
}

/** The verifications, the newest first. */
export function VerificationList(props: VerificationListProps): Html {
  const { applicationId, search, total, page } = props.view;
  const here = address(applicationId, "verifications");
  return (
    <>
      <div class="view-head">
        <h1>Verifications</h1>
        <span class="soft">{total.toLocaleString("en")}</span>
        <span class="push" />
        <FilterForm action={here} search={search} label="Number, code or id" />
      </div>
      <ul class="records">
        {page.items.map((row) => (
          <Row row={row} {...props} />
        ))}
      </ul>
      {page.items.length === 0 && (
        <Empty>
          {search === ""
            ? "No verification yet: each POST /verifications stands here, with its channels and codes."
            : "Nothing matches."}
        </Empty>
      )}
      <Older href={page.older && withQuery(here, { q: search, before: page.older })} what="verifications" />
    </>
  );
}

function Row({
  row: { verification, channels },
  now,
  attemptsLimit,
}: VerificationListProps & { readonly row: VerificationRow }): Html {
  const { id, applicationId, recipient, code, status, createdAt, wrongCodes } = verification;
  return (
    <li id={`row-${id}`} class="record">
      <a href={address(applicationId, "verifications", id)} id={`link-${id}`} data-row>
        <span class="line">
          <strong class="number">{recipient}</strong>
          <Status tone={toneOf(status)}>{statusWord(status)}</Status>
          <span class="soft">{notes(wrongCodes, attemptsLimit)}</span>
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

function notes(wrongCodes: number, limit: number): string {
  return wrongCodes === 0 ? "" : `${wrongCodes} of ${limit} wrong codes`;
}

interface ExpiryProps {
  readonly verification: VerificationRow["verification"];
  readonly now: number;
}

/** How long the code of a pending verification can still be confirmed. */
function Expiry({ verification, now }: ExpiryProps): Html {
  const { status, customOtp, expiresAtMilliseconds } = verification;
  if (status !== "PENDING" || customOtp) return nothing;
  return (
    <span class="soft">
      expires <Countdown until={new Date(expiresAtMilliseconds).toISOString()} now={now} />
    </span>
  );
}

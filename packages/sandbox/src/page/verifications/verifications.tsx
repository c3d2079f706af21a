import { Hono } from "hono";
import { applicationOf } from "../../http/read-request.ts";
import { isoInstant } from "../../state/record.ts";
import type { State } from "../../state/state.ts";
import type { Verification } from "../../state/verification.ts";
import { CodeChip, FilterForm } from "../components/controls.tsx";
import { EmptyNote, type Html, nothing, OlderLink } from "../components/elements.tsx";
import { applicationPath, type Page, pageOf, withQuery } from "../components/paths.ts";
import { Countdown, Instant, Status, statusText, toneOf } from "../components/status.tsx";
import { ofApplication } from "../request/form-handler.ts";
import { type PageContext, renderPage } from "../request/render-page.tsx";
import { ChannelChain, type ChannelProgress, progressOf } from "./channels.tsx";
import { findVerification, VerificationDetails } from "./verification-details.tsx";

/** Creates the pages of an application's verifications: the list, and one page for each. */
export function createVerificationPages(context: PageContext): Hono {
  const { state, scheduler } = context.deps;
  const section = "verifications";
  return new Hono()
    .get(`${ofApplication}/verifications`, (c) => {
      const { id: applicationId, settings } = applicationOf(context.deps, c);
      const { q = "", before } = c.req.query();
      const result = queryVerifications(state, applicationId, { search: q.trim(), before });
      const now = scheduler.now(applicationId);
      const children = <VerificationList result={result} now={now} maxAttempts={settings.maxConfirmationAttempts} />;
      return renderPage(c, context, { applicationId, section, title: "Verifications", children });
    })
    .get(`${ofApplication}/verifications/:verification`, (c) => {
      const { id: applicationId, settings } = applicationOf(context.deps, c);
      const found = findVerification(state, applicationId, c.req.param("verification"));
      if (!found) {
        const children = <EmptyNote>This verification no longer exists.</EmptyNote>;
        return renderPage(c, context, { applicationId, section, title: "Not found", children, status: 404 });
      }
      const now = scheduler.now(applicationId);
      const children = <VerificationDetails result={found} now={now} maxAttempts={settings.maxConfirmationAttempts} />;
      return renderPage(c, context, { applicationId, section, title: found.verification.recipient, children });
    });
}

const maxVerifications = 50;

/** A verification in the list. */
interface VerificationRow {
  readonly verification: Verification;
  readonly channels: readonly ChannelProgress[];
}

/** The content of the list of verifications. */
interface VerificationsResult {
  readonly applicationId: string;
  readonly search: string;
  readonly total: number;
  readonly page: Page<VerificationRow>;
}

/** Selects verifications of an application, the newest first. */
function queryVerifications(
  state: Pick<State, "messages" | "verifications">,
  applicationId: string,
  { search, before }: { readonly search: string; readonly before: string | undefined },
): VerificationsResult {
  const matches = ({ recipient, code, id }: Verification) =>
    recipient.includes(search) || code === search || id === search;
  const newestFirst = state.verifications.list(applicationId).filter(matches).reverse();
  const { items, older } = pageOf(newestFirst, ({ id }) => id, maxVerifications, before);
  return {
    applicationId,
    search,
    total: state.verifications.count(applicationId),
    page: { items: items.map((verification) => ({ verification, channels: progressOf(state, verification) })), older },
  };
}

interface VerificationListProps {
  readonly result: VerificationsResult;
  readonly now: number;
  readonly maxAttempts: number;
}

/** Shows the verifications, the newest first. */
function VerificationList(props: VerificationListProps): Html {
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
  readonly verification: Verification;
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

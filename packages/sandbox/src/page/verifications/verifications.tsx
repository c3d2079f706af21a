import { Hono } from "hono";
import { applicationOf } from "../../http/read-request.ts";
import type { Delivery } from "../../state/delivery.ts";
import type { Firing } from "../../state/fault.ts";
import { type Channel, lastStep, type Message, type MessageStatus } from "../../state/message.ts";
import { isoInstant } from "../../state/record.ts";
import type { State } from "../../state/state.ts";
import type { Verification } from "../../state/verification.ts";
import { CodeChip, FilterForm } from "../components/controls.tsx";
import { EmptyNote, type Html, nothing, OlderLink } from "../components/elements.tsx";
import { Icon } from "../components/icon.tsx";
import { applicationPath, type Page, pageOf, withQuery } from "../components/paths.ts";
import { Countdown, channelName, Instant, Status, statusText, toneOf } from "../components/status.tsx";
import { ofApplication } from "../request/form-handler.ts";
import { type PageContext, renderPage } from "../request/render-page.tsx";
import { VerificationDetails } from "./verification-details.tsx";

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

/** A channel of a verification. */
interface ChannelProgress {
  readonly channel: Channel;
  readonly status: MessageStatus | undefined;
}

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

/** The records that the pages of verifications read. */
type VerificationSource = Pick<State, "messages" | "verifications" | "deliveries" | "firings">;

/** Selects verifications of an application, the newest first. */
function queryVerifications(
  state: VerificationSource,
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

/** A verification and its related records. */
export interface VerificationResult extends VerificationRow {
  readonly messages: readonly Message[];
  /** The webhook deliveries, the newest first. */
  readonly deliveries: readonly Delivery[];
  /** The firings of faults, the newest first. */
  readonly firings: readonly Firing[];
}

/** Finds a verification of an application and its related records; undefined when there is none with this id. */
function findVerification(
  state: VerificationSource,
  applicationId: string,
  id: string,
): VerificationResult | undefined {
  const verification = state.verifications.get(id);
  if (verification?.applicationId !== applicationId) return undefined;
  const subjects = new Set([id, ...verification.messageIds]);
  const isRelated = ({ subjectId }: Delivery | Firing) => subjectId !== undefined && subjects.has(subjectId);
  return {
    verification,
    channels: progressOf(state, verification),
    messages: verification.messageIds
      .map((messageId) => state.messages.get(messageId))
      .filter((message) => message !== undefined),
    deliveries: state.deliveries.list(applicationId).filter(isRelated).reverse(),
    firings: state.firings.list(applicationId).filter(isRelated).reverse(),
  };
}

function progressOf(state: VerificationSource, { channels, messageIds }: Verification): readonly ChannelProgress[] {
  return channels.map((channel, index) => {
    const message = state.messages.get(messageIds[index] ?? "");
    return { channel, status: message && lastStep(message).status };
  });
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

/** Shows the channels of a verification in their order, each with its status. */
export function ChannelChain({ channels }: { readonly channels: readonly ChannelProgress[] }): Html {
  return (
    <ol class="chain" aria-label="Channels">
      {channels.map(({ channel, status }, index) => (
        <li class={status ? toneOf(status) : "untried"}>
          {index > 0 && <Icon name="next" />}
          <span>{channelName(channel)}</span>
          <small>{status ? statusText(status).toLowerCase() : "not tried"}</small>
        </li>
      ))}
    </ol>
  );
}

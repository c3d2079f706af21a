import { EmptyNote, type Html, Status } from "@doorcode/operations/page-parts";
import { isoInstant } from "../../state/record.ts";
import type { Verification } from "../../state/verification.ts";
import { CodeChip, FilterForm } from "../components/controls.tsx";
import { Phone, phoneText } from "../components/digits.tsx";
import { matchesSearch, OlderLink, pageOf } from "../components/list.tsx";
import { applicationPath, withQuery } from "../components/paths.ts";
import { Countdown, Instant, statusText, toneOf } from "../components/status.tsx";
import { goneView, type PageRequest, type PageSection, type PageView } from "../request/page-request.tsx";
import { channelChain, verificationDetails } from "./verification.tsx";

/** The pages of an application's verifications: the list, and one page for each. */
export const verificationsSection: PageSection = {
  name: "verifications",
  views: { "/verifications": listView, "/verifications/:verification": verificationView },
  forms: {},
};

function verificationView(request: PageRequest): PageView {
  const { deps, application, param } = request;
  const verification = deps.state.verifications.get(param("verification"));
  if (verification?.applicationId !== application.id) return goneView("verification");
  return { title: phoneText(verification.recipient), children: verificationDetails(verification, request) };
}

const nothingYet = "No verifications yet. Each POST /verifications appears here, with its channels and codes.";

/** Shows the verifications, the newest first. */
function listView(request: PageRequest): PageView {
  const { deps, application, query, search } = request;
  const path = applicationPath(application.id, "verifications");
  const all = deps.state.verifications.list(application.id);
  const matching = all.filter(({ recipient, code, id }) => matchesSearch(search, [recipient, code, id]));
  const { items, older } = pageOf(matching.reverse(), query.before, ({ id }) => id);
  const children = (
    <>
      <div class="view-head">
        <h1>Verifications</h1>
        <span class="soft">{all.length.toLocaleString("en")}</span>
        <span class="push" />
        <FilterForm action={path} search={search} label="Number, code or id" />
      </div>
      <ul class="records">{items.map((verification) => row(verification, request))}</ul>
      {items.length === 0 && <EmptyNote>{search === "" ? nothingYet : "Nothing matches."}</EmptyNote>}
      <OlderLink href={older && withQuery(path, { q: search, before: older })} items="verifications" />
    </>
  );
  return { title: "Verifications", children };
}

function row(verification: Verification, { deps, application, now }: PageRequest): Html {
  const { id, recipient, code, customOtp, status, createdAt, expiresAtMilliseconds, wrongCodes } = verification;
  const { maxConfirmationAttempts } = application.settings;
  return (
    <li id={`row-${id}`} class="record">
      <a href={applicationPath(application.id, "verifications", id)} id={`link-${id}`} data-row>
        <span class="line">
          <strong>
            <Phone number={recipient} />
          </strong>
          <Status tone={toneOf(status)}>{statusText(status)}</Status>
          <span class="soft">{wrongCodes === 0 ? "" : `${wrongCodes} of ${maxConfirmationAttempts} wrong codes`}</span>
          <span class="push" />
          <Instant at={createdAt} now={now} />
        </span>
        <span class="line">
          {channelChain(verification, deps.state)}
          <span class="push" />
          {status === "PENDING" && !customOtp && (
            <span class="soft">
              expires <Countdown until={isoInstant(expiresAtMilliseconds)} now={now} />
            </span>
          )}
        </span>
      </a>
      <CodeChip code={code} small />
    </li>
  );
}

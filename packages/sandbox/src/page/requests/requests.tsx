import { Card, EmptyNote, Facts, type Html, nothing, Select, Status } from "@doorcode/operations/page-parts";
import type { ApiRequest } from "../../state/api-request.ts";
import { defaultApplicationId } from "../../state/application.ts";
import { durationText } from "../browser/time-text.ts";
import { BackLink, CopyBlock, FilterForm, prettyJson } from "../components/controls.tsx";
import { matchesSearch, OlderLink, pageOf } from "../components/list.tsx";
import { applicationPath, withQuery } from "../components/paths.ts";
import { Instant } from "../components/status.tsx";
import { goneView, type PageRequest, type PageSection, type PageView } from "../request/page-request.tsx";

/** The pages of the requests that reached the API: the list, and one page for each. */
export const requestsSection: PageSection = {
  name: "requests",
  views: { "/requests": listView, "/requests/:request": requestView },
  forms: {},
};

const outcomes = { "": "All requests", refused: "Refused", accepted: "Accepted" };

function listView(request: PageRequest): PageView {
  const { application, sandbox, query, search } = request;
  const path = applicationPath(application.id, "requests");
  const { outcome = "" } = query;
  const all = sandbox.requests.list();
  const matching = all.filter((each) => matches(each, search, outcome)).reverse();
  const { items, older } = pageOf(matching, query.before, ({ id }) => id);
  const children = (
    <>
      <div class="view-head">
        <h1>Requests</h1>
        <span class="soft">
          {all.length} that reached <code>/v1</code>
        </span>
        <span class="push" />
        <FilterForm action={path} search={search} label="Path, cause, body or answer">
          <Select name="outcome" label="Outcome" choices={outcomes} chosen={outcome} />
        </FilterForm>
      </div>
      <ul class="records">{items.map((each) => row(each, request))}</ul>
      {items.length === 0 && <EmptyNote>{all.length === 0 ? "No requests yet." : "Nothing matches."}</EmptyNote>}
      <OlderLink href={older && withQuery(path, { q: search, outcome, before: older })} items="requests" />
      <p class="soft footnote">
        The last 500 requests, in memory only.{" "}
        {application.id !== defaultApplicationId && (
          <>
            Requests without a valid key are with the{" "}
            <a href={applicationPath(defaultApplicationId, "requests")}>default application</a>.
          </>
        )}
      </p>
    </>
  );
  return { title: "Requests", children };
}

function matches({ method, path, cause, body, answer }: ApiRequest, search: string, outcome: string): boolean {
  if (outcome !== "" && (outcome === "refused") !== (cause !== undefined)) return false;
  return matchesSearch(search, [`${method} ${path}`, cause, body, answer]);
}

function row(each: ApiRequest, request: PageRequest): Html {
  const { id, applicationId, method, path, at, tookMilliseconds, cause } = each;
  return (
    <li id={`row-${id}`} class={cause === undefined ? "record" : "record failed"}>
      <a href={applicationPath(applicationId, "requests", id)} id={`link-${id}`} data-row>
        <span class="line">
          {outcomeOf(each)}
          <strong>
            {method} <code class="url">{path}</code>
          </strong>
          <span class="push" />
          <Instant at={at} now={request.now} />
        </span>
        {cause !== undefined && <span class="cause">{cause}</span>}
        <span class="soft">
          {keyText(each, request)}, {durationText(tookMilliseconds)}
        </span>
      </a>
    </li>
  );
}

/** A refusal may have any status, in the dialect of the application. */
function outcomeOf({ status, cause }: ApiRequest): Html {
  const tone = cause === undefined ? "good" : "bad";
  return <Status tone={tone}>{status === undefined ? "No answer" : String(status)}</Status>;
}

/** Names the API key of a request: its application and its last characters, and never the key. */
function keyText({ maskedKey, isKeyValid }: ApiRequest, { application }: PageRequest): string {
  if (maskedKey === undefined) return "without an API key";
  return `${isKeyValid ? `key of ${application.name}` : "unknown key"} ${maskedKey}`;
}

function requestView(request: PageRequest): PageView {
  const { sandbox, application, param } = request;
  const found = sandbox.requests.list().find(({ id }) => id === param("request"));
  if (!found) return goneView("request");
  const { method, path, cause, at, tookMilliseconds, body, answer } = found;
  const children = (
    <>
      <div class="view-head">
        <BackLink href={applicationPath(application.id, "requests")} label="All requests" />
        <h1>
          {method} <code class="url">{path}</code>
        </h1>
        {outcomeOf(found)}
      </div>
      {cause !== undefined && <p class="cause-box cause">{cause}</p>}
      <Card id="request" title="Request">
        <Facts
          facts={[
            ["API key", keyText(found, request)],
            ["Answered", <Instant at={at} now={request.now} />],
            ["Took", durationText(tookMilliseconds)],
          ]}
        />
      </Card>
      {textCard("body", "Body", body, bodyNote(found))}
      {textCard("answer", "Answer", answer, "The answer had no body.")}
    </>
  );
  return { title: `${method} ${path}`, children };
}

function bodyNote({ method, cause }: ApiRequest): string {
  return method === "GET" || cause === undefined ? "The request had no body." : "The body was empty, or was not read.";
}

function textCard(id: string, title: string, text: string, none: string): Html {
  return (
    <Card id={id} title={title} lead={text === "" ? none : undefined}>
      {text === "" ? nothing : <CopyBlock text={prettyJson(text)} label={`the ${id}`} />}
    </Card>
  );
}

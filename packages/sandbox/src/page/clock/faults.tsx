import { Card, EmptyNote, type Html, PostButton, Status } from "@doorcode/operations/page-parts";
import { isActive } from "../../fault/fire-faults.ts";
import {
  type Fault,
  type FaultLimits,
  type FaultRule,
  type Firing,
  requestTargets,
  type WebhookAction,
  webhookTargets,
} from "../../state/fault.ts";
import { withoutUndefined } from "../../state/record.ts";
import { durationText } from "../browser/time-text.ts";
import { FieldsForm, Input, SelectField } from "../components/controls.tsx";
import { phoneText } from "../components/digits.tsx";
import { applicationPath } from "../components/paths.ts";
import { Timeline, type TimelineEntry } from "../components/status.tsx";
import type { Form, FormHandlers, PageRequest } from "../request/page-request.tsx";

/** The handlers of the forms that switch faults on and off. */
export const faultForms: FormHandlers = {
  "/faults": ({ sandbox, form }) => sandbox.faults.add(faultOf(form)),
  "/faults/remove": ({ sandbox }) => sandbox.faults.clear(),
  "/faults/:fault/remove": ({ sandbox, param }) => sandbox.faults.remove(param("fault")),
};

function faultOf(form: Form): unknown {
  const common = form.text("common") ?? "";
  if (Object.hasOwn(commonFaults, common)) return commonFaults[common];
  const percent = form.number("percent");
  const isRequest = form.text("appliesTo") === "request";
  return withoutUndefined({
    on: form.text("on"),
    to: form.text("to"),
    status: isRequest ? undefined : form.text("status"),
    times: form.number("times"),
    probability: typeof percent === "number" ? percent / 100 : percent,
    seed: form.number("seed"),
    action: actionOf(form, isRequest),
  });
}

/** Each effect uses its own fields. */
function actionOf(form: Form, isRequest: boolean): object {
  const { number } = form;
  const type = form.text("effect");
  if (type === "cut_before" || type === "cut_after") return { type: "cut", when: type.slice("cut_".length) };
  if (type === "delay" && isRequest) return { type, milliseconds: number("milliseconds") };
  if (type === "delay" || type === "stale_timestamp") return { type, seconds: number("seconds") };
  if (!isRequest) return { type };
  return withoutUndefined({ type, status: number("answerStatus"), retryAfterSeconds: number("retryAfterSeconds") });
}

const maxFirings = 30;

/** Shows common faults as buttons, the faults that are on, and their last firings. */
export function FaultList({ deps: { state }, application: { id } }: PageRequest): Html {
  const path = applicationPath(id, "faults");
  const faults = state.faults.list(id);
  const firings = state.firings.list(id).slice(-maxFirings).reverse();
  return (
    <Card
      id="faults"
      title="Faults"
      lead="Failures on purpose. Each firing appears on the timeline of the affected verification or delivery."
      aside={faults.length > 0 && <PostButton action={`${path}/remove`} label="Switch all off" />}
    >
      <fieldset class="presets">
        <legend class="unseen">Common faults</legend>
        {Object.keys(commonFaults).map((label) => (
          <PostButton action={path} label={label} icon="bolt" fields={{ common: label }} />
        ))}
      </fieldset>
      {faults.length === 0 && <EmptyNote>No fault is on.</EmptyNote>}
      <ul class="items">{faults.map(faultItem)}</ul>
      {firings.length > 0 && (
        <details class="raw" id="firings" open>
          <summary>Last firings</summary>
          <Timeline entries={firings.map(firingEntry)} label="Firings, the newest first" />
        </details>
      )}
    </Card>
  );
}

function faultItem(fault: Fault): Html {
  const { id, applicationId, action, fired, matched } = fault;
  const usedUp = !isActive(fault);
  return (
    <li id={`fault-${id}`} class={usedUp ? "used-up" : undefined}>
      <Status tone={usedUp ? "quiet" : "warn"}>{usedUp ? "Used up" : "On"}</Status>
      <strong>{matchText(fault)}</strong>
      <span class="text">
        {actionText(action)}, {limitText(fault)}
      </span>
      <span class="soft">
        fired on {fired} of {matched} matches
      </span>
      <PostButton
        action={applicationPath(applicationId, "faults", id, "remove")}
        label="Switch off"
        icon="cross"
        bare
      />
    </li>
  );
}

/** Returns the entry of a firing on a timeline, with a link to the affected delivery. */
export function firingEntry({ applicationId, at, on, action, deliveryId }: Firing): TimelineEntry {
  const href = deliveryId === undefined ? undefined : applicationPath(applicationId, "webhooks", deliveryId);
  return { at, tone: "warn", icon: "bolt", text: `Fault on ${on}`, detail: actionText(action), href };
}

const requestEffects = {
  answer: "answers with a status",
  delay: "delays",
  cut_before: "cuts the connection before anything is done",
  cut_after: "does the work, then cuts the connection, so that the answer is lost",
} as const;

const webhookEffects: Readonly<Record<WebhookAction["type"], string>> = {
  duplicate: "sends twice at the same moment",
  reorder: "sends after the next event",
  drop: "sends nothing: the attempt is lost",
  delay: "delays",
  cut: "cuts the connection in the middle of the body",
  corrupt_signature: "corrupts the signature",
  stale_timestamp: "signs with an old timestamp",
  extra_signature: "adds a v2= signature before v1=",
  two_secrets: "signs with the previous and the current secret",
  odd_json: "sends the same JSON in an unusual form",
};

function actionText(action: FaultRule["action"]): string {
  switch (action.type) {
    case "answer":
      return `answers ${action.status}${action.retryAfterSeconds === undefined ? "" : `, Retry-After ${action.retryAfterSeconds} s`}`;
    case "delay":
      return `delays by ${durationText("milliseconds" in action ? action.milliseconds : action.seconds * 1000)}`;
    case "cut":
      return "when" in action ? requestEffects[`cut_${action.when}`] : webhookEffects.cut;
    case "stale_timestamp":
      return `signs with a timestamp ${durationText(action.seconds * 1000)} old`;
    default:
      return webhookEffects[action.type];
  }
}

function matchText({ on, to, ...rest }: Fault): string {
  const target = on === "request" ? "Any request" : on === "webhook" ? "Any webhook" : on;
  const status = "status" in rest && rest.status !== undefined ? `, status ${rest.status}` : "";
  return `${target}${to === undefined ? "" : `, to ${phoneText(to)}`}${status}`;
}

function limitText({ times, probability, seed }: Fault): string {
  const count = times === undefined ? "every time" : times === 1 ? "once" : `${times} times`;
  return probability === undefined
    ? count
    : `${count}, with a probability of ${Math.round(probability * 100)} %, seed ${seed ?? 1}`;
}

/** The failures that apps meet most often, by their label. One click switches each on. */
const commonFaults: Readonly<Record<string, FaultRule & FaultLimits>> = {
  "3 × 503 on verifications": {
    on: "POST /verifications",
    action: { type: "answer", status: 503, retryAfterSeconds: 2 },
    times: 3,
  },
  "429 once": { on: "request", action: { type: "answer", status: 429, retryAfterSeconds: 5 }, times: 1 },
  "Lose one answer": { on: "POST /verifications", action: { type: "cut", when: "after" }, times: 1 },
  "Every request takes 3 s": { on: "request", action: { type: "delay", milliseconds: 3000 } },
  "Each webhook twice": { on: "webhook", action: { type: "duplicate" } },
  "Webhooks out of order": { on: "webhook", action: { type: "reorder" } },
  "Lose every second webhook": { on: "webhook", action: { type: "drop" }, probability: 0.5 },
  "Corrupt the signature": { on: "webhook", action: { type: "corrupt_signature" }, times: 1 },
  "Timestamp 10 minutes old": { on: "webhook", action: { type: "stale_timestamp", seconds: 600 }, times: 1 },
  "Two secrets": { on: "webhook", action: { type: "two_secrets" } },
};

function choicesOf(targets: readonly string[], any: string): Readonly<Record<string, string>> {
  return Object.fromEntries(targets.map((target) => [target, target === any ? `any ${any}` : target]));
}

/** A field that CSS shows only for the effects that use it. */
const parameter = { type: "number", min: "0", step: "1" };

/** Shows a form for a fault on requests and one for a fault on webhooks. */
export function FaultForms({ application }: PageRequest): Html {
  const action = applicationPath(application.id, "faults");
  return (
    <div class="split">
      <Card id="break-request" title="Break a request">
        <FieldsForm action={action} label="Switch on" look="primary">
          <input type="hidden" name="appliesTo" value="request" />
          <SelectField label="When" name="on" choices={choicesOf(requestTargets, "request")} />
          <SelectField label="Then" name="effect" choices={requestEffects} chosen="answer" />
          <Input
            {...parameter}
            kind="parameter for-answer"
            label="Status"
            name="answerStatus"
            value="503"
            min="200"
            max="599"
          />
          <Input {...parameter} kind="parameter for-answer" label="Retry-After, seconds" name="retryAfterSeconds" />
          <Input {...parameter} kind="parameter for-delay" label="Milliseconds" name="milliseconds" value="3000" />
          <Limits />
        </FieldsForm>
      </Card>
      <Card id="break-webhook" title="Break a webhook">
        <FieldsForm action={action} label="Switch on" look="primary">
          <input type="hidden" name="appliesTo" value="webhook" />
          <SelectField label="When" name="on" choices={choicesOf(webhookTargets, "webhook")} />
          <SelectField label="Then" name="effect" choices={webhookEffects} chosen="duplicate" />
          <Input {...parameter} kind="parameter for-delay for-stale" label="Seconds" name="seconds" value="600" />
          <Input label="Only with status" hint="Such as SENT or APPROVED" name="status" />
          <Limits />
        </FieldsForm>
      </Card>
    </div>
  );
}

function Limits(): Html {
  return (
    <>
      <Input label="Only to" hint="Any number when empty" type="tel" name="to" placeholder="+4915112345678" />
      <Input label="Times" hint="Every time when empty" type="number" name="times" min="1" step="1" />
      <Input label="Probability, percent" type="number" name="percent" min="1" max="100" step="1" placeholder="100" />
      <Input label="Seed" type="number" name="seed" min="0" step="1" placeholder="1" />
    </>
  );
}

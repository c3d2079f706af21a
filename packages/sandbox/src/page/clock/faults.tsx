import { isActive } from "../../fault/fire-faults.ts";
import { addFault, removeFault } from "../../sandbox/faults.ts";
import { eventNames } from "../../state/application.ts";
import { type Fault, type FaultLimits, type FaultRule, type Firing, faultyRoutes } from "../../state/fault.ts";
import { durationText } from "../browser/time-text.ts";
import { type Choice, Field, FieldsForm, Input, PostButton, Select } from "../components/controls.tsx";
import { Card, EmptyNote, type Html } from "../components/elements.tsx";
import { applicationPath } from "../components/paths.ts";
import { Status, Timeline, type TimelineEntry } from "../components/status.tsx";
import type { Form, FormHandlers, PageRequest } from "../request/page-request.tsx";

/** The handlers of the forms that switch faults on and off. */
export const faultForms: FormHandlers = {
  "/faults": ({ deps, application, form }) => addFault(deps, application.id, faultOf(form)),
  "/faults/remove": ({ deps, application }) => deps.state.faults.forget(application.id),
  "/faults/:fault/remove": ({ deps, application, param }) => removeFault(deps, application.id, param("fault")),
};

function faultOf(form: Form): unknown {
  const preset = faultPresets.find(({ id }) => id === form.text("preset"));
  if (preset) return preset.fault;
  const percent = form.number("percent");
  const isRequest = form.text("appliesTo") === "request";
  return withoutUndefined({
    on: form.text("on"),
    to: form.text("to"),
    status: isRequest ? undefined : form.text("status"),
    times: form.number("times"),
    probability: typeof percent === "number" ? percent / 100 : percent,
    seed: form.number("seed"),
    action: isRequest ? requestActionOf(form) : webhookActionOf(form),
  });
}

function requestActionOf(form: Form): unknown {
  const type = form.text("effect");
  if (type === "cut_before" || type === "cut_after") return { type: "cut", when: type.slice("cut_".length) };
  if (type === "delay") return { type, milliseconds: form.number("milliseconds") };
  const { number } = form;
  return withoutUndefined({ type, status: number("answerStatus"), retryAfterSeconds: number("retryAfterSeconds") });
}

function webhookActionOf(form: Form): unknown {
  const type = form.text("effect");
  const takesSeconds = type === "delay" || type === "stale_timestamp";
  return takesSeconds ? { type, seconds: form.number("seconds") } : { type };
}

function withoutUndefined(members: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
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
        {faultPresets.map(({ id, label }) => (
          <PostButton action={path} label={label} icon="bolt" look="quiet" fields={{ preset: id }} />
        ))}
      </fieldset>
      {faults.length === 0 && <EmptyNote>No fault is on.</EmptyNote>}
      <ul class="items">
        {faults.map((fault) => (
          <FaultItem fault={fault} path={path} />
        ))}
      </ul>
      {firings.length > 0 && (
        <details class="raw" id="firings" open>
          <summary>Last firings</summary>
          <Timeline entries={firings.map(firingEntry)} label="Firings, the newest first" />
        </details>
      )}
    </Card>
  );
}

function FaultItem({ fault, path }: { readonly fault: Fault; readonly path: string }): Html {
  const usedUp = !isActive(fault);
  return (
    <li id={`fault-${fault.id}`} class={usedUp ? "used-up" : undefined}>
      <Status tone={usedUp ? "quiet" : "warn"}>{usedUp ? "Used up" : "On"}</Status>
      <strong>{matchText(fault)}</strong>
      <span class="text">
        {actionText(fault.action)}, {limitText(fault)}
      </span>
      <span class="soft">
        fired on {fault.fired} of {fault.matched} matches
      </span>
      <PostButton action={`${path}/${encodeURIComponent(fault.id)}/remove`} label="Switch off" icon="cross" bare />
    </li>
  );
}

function firingEntry({ applicationId, at, on, action, deliveryId }: Firing): TimelineEntry {
  const href = deliveryId === undefined ? undefined : applicationPath(applicationId, "webhooks", deliveryId);
  return { at, tone: "warn", icon: "bolt", text: on, detail: actionText(action), href };
}

/** Describes the effect of a fault. */
export function actionText(action: FaultRule["action"]): string {
  switch (action.type) {
    case "answer":
      return `Answers ${action.status}${action.retryAfterSeconds === undefined ? "" : `, Retry-After ${action.retryAfterSeconds} s`}`;
    case "delay":
      return `Delays by ${durationText("milliseconds" in action ? action.milliseconds : action.seconds * 1000)}`;
    case "cut":
      return "when" in action ? cutTexts[action.when] : "Cuts the connection in the middle of the body";
    case "stale_timestamp":
      return `Signs with a timestamp ${durationText(action.seconds * 1000)} old`;
    default:
      return texts[action.type];
  }
}

const cutTexts = {
  before: "Cuts the connection before anything is done",
  after: "Does the work, then cuts the connection, so that the answer is lost",
} as const;

const texts = {
  odd_json: "Sends the same JSON in an unusual form",
  reorder: "Sends after the next event",
  duplicate: "Sends twice at the same moment",
  drop: "Sends nothing: the attempt is lost",
  corrupt_signature: "Corrupts the signature",
  extra_signature: "Adds a v2= signature before v1=",
  two_secrets: "Signs with the previous and the current secret",
} as const;

function matchText({ on, to, ...rest }: Fault): string {
  const target = on === "request" ? "Any request" : on === "webhook" ? "Any webhook" : on;
  const status = "status" in rest && rest.status !== undefined ? `, status ${rest.status}` : "";
  return `${target}${to === undefined ? "" : `, to ${to}`}${status}`;
}

function limitText({ times, probability, seed }: Fault): string {
  const count = times === undefined ? "every time" : times === 1 ? "once" : `${times} times`;
  return probability === undefined
    ? count
    : `${count}, with a probability of ${Math.round(probability * 100)} %, seed ${seed ?? 1}`;
}

/** A common fault, which one click switches on. */
interface FaultPreset {
  readonly id: string;
  readonly label: string;
  readonly fault: FaultRule & FaultLimits;
}

/** The failures that apps meet most often. */
const faultPresets: readonly FaultPreset[] = [
  {
    id: "busy",
    label: "3 × 503 on verifications",
    fault: { on: "POST /verifications", action: { type: "answer", status: 503, retryAfterSeconds: 2 }, times: 3 },
  },
  {
    id: "limited",
    label: "429 once",
    fault: { on: "request", action: { type: "answer", status: 429, retryAfterSeconds: 5 }, times: 1 },
  },
  {
    id: "lost",
    label: "Lose one answer",
    fault: { on: "POST /verifications", action: { type: "cut", when: "after" }, times: 1 },
  },
  {
    id: "slow",
    label: "Every request takes 3 s",
    fault: { on: "request", action: { type: "delay", milliseconds: 3000 } },
  },
  { id: "twice", label: "Each webhook twice", fault: { on: "webhook", action: { type: "duplicate" } } },
  { id: "order", label: "Webhooks out of order", fault: { on: "webhook", action: { type: "reorder" } } },
  {
    id: "drop",
    label: "Lose every second webhook",
    fault: { on: "webhook", action: { type: "drop" }, probability: 0.5 },
  },
  {
    id: "forged",
    label: "Corrupt the signature",
    fault: { on: "webhook", action: { type: "corrupt_signature" }, times: 1 },
  },
  {
    id: "stale",
    label: "Timestamp 10 minutes old",
    fault: { on: "webhook", action: { type: "stale_timestamp", seconds: 600 }, times: 1 },
  },
  { id: "rotation", label: "Two secrets", fault: { on: "webhook", action: { type: "two_secrets" } } },
];

const requestActions: readonly Choice[] = [
  { value: "answer", label: "answer with a status" },
  { value: "delay", label: "delay" },
  { value: "cut_before", label: "cut before anything is done" },
  { value: "cut_after", label: "do the work, lose the answer" },
];

const webhookActions: readonly Choice[] = [
  { value: "duplicate", label: "send twice" },
  { value: "reorder", label: "send after the next event" },
  { value: "drop", label: "lose it" },
  { value: "delay", label: "delay" },
  { value: "cut", label: "cut in the middle of the body" },
  { value: "corrupt_signature", label: "corrupt the signature" },
  { value: "stale_timestamp", label: "stale timestamp" },
  { value: "extra_signature", label: "add a v2= signature" },
  { value: "two_secrets", label: "sign with two secrets" },
  { value: "odd_json", label: "unusual but valid JSON" },
];

const routes: readonly Choice[] = ["request", ...faultyRoutes].map((value) => ({
  value,
  label: value === "request" ? "any request" : value,
}));
const events: readonly Choice[] = ["webhook", ...eventNames].map((value) => ({
  value,
  label: value === "webhook" ? "any webhook" : value,
}));

/** Shows a form for a fault on requests and one for a fault on webhooks. CSS hides the fields that an action does not use. */
export function FaultForms({ application }: PageRequest): Html {
  const action = applicationPath(application.id, "faults");
  return (
    <div class="split">
      <Card id="break-request" title="Break a request">
        <FieldsForm action={action} label="Switch on" look="primary">
          <input type="hidden" name="appliesTo" value="request" />
          <Field label="When">
            <Select name="on" choices={routes} />
          </Field>
          <Field label="Then">
            <Select name="effect" choices={requestActions} chosen="answer" />
          </Field>
          <Parameter kind="for-answer" label="Status" name="answerStatus" value="503" min="200" max="599" />
          <Parameter kind="for-answer" label="Retry-After, seconds" name="retryAfterSeconds" />
          <Parameter kind="for-delay" label="Milliseconds" name="milliseconds" value="3000" />
          <Limits />
        </FieldsForm>
      </Card>
      <Card id="break-webhook" title="Break a webhook">
        <FieldsForm action={action} label="Switch on" look="primary">
          <input type="hidden" name="appliesTo" value="webhook" />
          <Field label="When">
            <Select name="on" choices={events} />
          </Field>
          <Field label="Then">
            <Select name="effect" choices={webhookActions} chosen="duplicate" />
          </Field>
          <Parameter kind="for-delay for-stale" label="Seconds" name="seconds" value="600" />
          <Input label="Only with status" hint="Such as SENT or APPROVED" name="status" />
          <Limits />
        </FieldsForm>
      </Card>
    </div>
  );
}

interface ParameterProps {
  readonly kind: string;
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly min?: string;
  readonly max?: string;
}

function Parameter({ kind, min = "0", ...input }: ParameterProps): Html {
  return <Input type="number" kind={`parameter ${kind}`} min={min} step="1" {...input} />;
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

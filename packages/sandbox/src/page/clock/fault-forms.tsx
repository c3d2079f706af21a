import { addFault } from "../../sandbox/faults.ts";
import { eventNames } from "../../state/application.ts";
import { faultyRoutes } from "../../state/fault.ts";
import { type Choice, Field, Select, SubmitButton } from "../components/controls.tsx";
import type { Html } from "../components/elements.tsx";
import { Card } from "../components/elements.tsx";
import { applicationPath } from "../components/paths.ts";
import type { Form } from "../request/form-handler.ts";
import { type FormHandlers, ofApplication } from "../request/form-handler.ts";
import { faultPresets } from "./fault-list.tsx";

/** The handler of the forms that switch a fault on. */
export const faultForms: FormHandlers = {
  returning: {
    [`${ofApplication}/faults`]: ({ deps, application, form }) => void addFault(deps, application.id, faultOf(form)),
  },
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
export function FaultForms({ applicationId }: { readonly applicationId: string }): Html {
  const action = applicationPath(applicationId, "faults");
  return (
    <div class="split">
      <Card id="break-request" title="Break a request">
        <form method="post" action={action} class="fields">
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
        </form>
      </Card>
      <Card id="break-webhook" title="Break a webhook">
        <form method="post" action={action} class="fields">
          <input type="hidden" name="appliesTo" value="webhook" />
          <Field label="When">
            <Select name="on" choices={events} />
          </Field>
          <Field label="Then">
            <Select name="effect" choices={webhookActions} chosen="duplicate" />
          </Field>
          <Parameter kind="for-delay for-stale" label="Seconds" name="seconds" value="600" />
          <Field label="Only with status" hint="Such as SENT or APPROVED">
            <input type="text" name="status" autocomplete="off" />
          </Field>
          <Limits />
        </form>
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

function Parameter({ kind, label, name, value, min = "0", max }: ParameterProps): Html {
  return (
    <Field label={label} kind={`parameter ${kind}`}>
      <input type="number" name={name} value={value} min={min} max={max} step="1" />
    </Field>
  );
}

function Limits(): Html {
  return (
    <>
      <Field label="Only to" hint="Any number when empty">
        <input type="tel" name="to" placeholder="+4915112345678" autocomplete="off" />
      </Field>
      <Field label="Times" hint="Every time when empty">
        <input type="number" name="times" min="1" step="1" />
      </Field>
      <Field label="Probability, percent">
        <input type="number" name="percent" min="1" max="100" step="1" placeholder="100" />
      </Field>
      <Field label="Seed">
        <input type="number" name="seed" min="0" step="1" placeholder="1" />
      </Field>
      <SubmitButton label="Switch on" look="primary" />
    </>
  );
}

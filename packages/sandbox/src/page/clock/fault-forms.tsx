import { eventNames } from "../../state/application.ts";
import { faultyRoutes } from "../../state/fault.ts";
import { address } from "../address.ts";
import { Card } from "../controls/card.tsx";
import { type Choice, Field, Select } from "../controls/form.tsx";
import type { Html } from "../html.ts";

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
  { value: "extra_signature", label: "v2= beside v1=" },
  { value: "two_secrets", label: "sign with two secrets" },
  { value: "odd_json", label: "odd but valid JSON" },
];

const routes: readonly Choice[] = ["request", ...faultyRoutes].map((value) => ({
  value,
  label: value === "request" ? "any request" : value,
}));
const events: readonly Choice[] = ["webhook", ...eventNames].map((value) => ({
  value,
  label: value === "webhook" ? "any webhook" : value,
}));

/** Switches a fault on: one of a request, or one of a webhook. Which numbers an action needs, the style sheet shows. */
export function FaultForms({ applicationId }: { readonly applicationId: string }): Html {
  const action = address(applicationId, "faults");
  return (
    <div class="split">
      <Card id="break-request" title="Break a request">
        <form method="post" action={action} class="fields">
          <input type="hidden" name="strikes" value="request" />
          <Field label="When">
            <Select name="on" choices={routes} />
          </Field>
          <Field label="Then">
            <Select name="does" choices={requestActions} chosen="answer" />
          </Field>
          <Parameter kind="for-answer" label="Status" name="status" value="503" min="200" max="599" />
          <Parameter kind="for-answer" label="Retry-After, seconds" name="retryAfterSeconds" />
          <Parameter kind="for-delay" label="Milliseconds" name="milliseconds" value="3000" />
          <Limits />
        </form>
      </Card>
      <Card id="break-webhook" title="Break a webhook">
        <form method="post" action={action} class="fields">
          <input type="hidden" name="strikes" value="webhook" />
          <Field label="When">
            <Select name="on" choices={events} />
          </Field>
          <Field label="Then">
            <Select name="does" choices={webhookActions} chosen="duplicate" />
          </Field>
          <Parameter kind="for-delay for-stale" label="Seconds" name="seconds" value="600" />
          <Field label="Only when it tells" hint="Such as SENT or APPROVED">
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
      <Field label="Times" hint="Each time when empty">
        <input type="number" name="times" min="1" step="1" />
      </Field>
      <Field label="By chance, percent">
        <input type="number" name="percent" min="1" max="100" step="1" placeholder="100" />
      </Field>
      <Field label="Seed">
        <input type="number" name="seed" min="0" step="1" placeholder="1" />
      </Field>
      <p class="act">
        <button type="submit" class="primary">
          Switch on
        </button>
      </p>
    </>
  );
}

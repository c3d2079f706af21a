import { sendAgain } from "../../sandbox/deliveries.ts";
import type { Delivery } from "../../state/delivery.ts";
import { Card } from "../components/card.tsx";
import { Field, Select, SubmitButton } from "../components/form-fields.tsx";
import type { Html } from "../components/html.ts";
import { applicationPath } from "../components/paths.ts";
import { prettyJson } from "../components/pretty-json.ts";
import { type FormHandlers, type FormRequest, ofApplication } from "../request/form-handler.ts";

/** The handler of the form that sends a delivery again with changes. */
export const changesForms: FormHandlers = {
  returning: { [`${ofApplication}/deliveries/:delivery/send_changed`]: sendChanged },
};

const signatures = [
  { value: "valid", label: "valid" },
  { value: "wrong_secret", label: "by a wrong secret" },
  { value: "missing", label: "missing" },
];

/** A form that sends a delivery again with another body, timestamp or signature. */
export function ChangesForm({ delivery: { applicationId, id, payload } }: { readonly delivery: Delivery }): Html {
  const text = prettyJson(payload);
  return (
    <Card
      id="changes"
      title="Send with changes"
      lead="Shows what your app answers. The outcome does not count for the delivery and its endpoint."
    >
      <form method="post" action={`${applicationPath(applicationId, "deliveries", id)}/send_changed`} class="fields">
        <Field
          label="Body"
          kind="wide"
          hint="Sent as it stands here. If you do not change it, the original bytes are sent."
        >
          <textarea name="body" rows={Math.min(text.split("\n").length + 1, 16)} spellcheck={false} class="json">
            {text}
          </textarea>
        </Field>
        <Field label="Timestamp offset, s" hint="-600 is ten minutes ago">
          <input type="number" name="timestampOffsetSeconds" value="0" required />
        </Field>
        <Field label="Signature">
          <Select name="signature" choices={signatures} />
        </Field>
        <SubmitButton label="Send with changes" look="primary" />
      </form>
    </Card>
  );
}

async function sendChanged({ deps, application, form, param }: FormRequest): Promise<void> {
  const id = param("delivery");
  // Browsers send a line break as two characters.
  const body = form.text("body")?.replaceAll("\r\n", "\n") ?? "";
  const payload = deps.state.deliveries.get(id)?.payload ?? "";
  await sendAgain(deps, application.id, id, {
    ...(body !== prettyJson(payload) && { body }),
    timestampOffsetSeconds: form.number("timestampOffsetSeconds"),
    signature: form.text("signature"),
  });
}

import { configureApplication } from "../../sandbox/applications.ts";
import { Field, PostButton, SubmitButton } from "../components/controls.tsx";
import { type ApplicationProps, Card, EmptyNote, type Html } from "../components/elements.tsx";
import { applicationPath } from "../components/paths.ts";
import { type FormHandlers, ofApplication } from "../request/form-handler.ts";

/** The handlers of the forms that change the fixed codes of an application. */
export const fixedCodeForms: FormHandlers = {
  returning: {
    [`${ofApplication}/codes`]: ({ deps, application: { id, codes }, form }) =>
      configureApplication(deps, id, { codes: withEntry(codes, form.text("phone"), form.text("code")) }),
    [`${ofApplication}/codes/remove`]: ({ deps, application: { id, codes }, form }) =>
      configureApplication(deps, id, { codes: withoutEntry(codes, form.text("phone")) }),
  },
};

/** Shows the numbers with a fixed code, and a form that adds one. */
export function FixedCodesCard({ application: { id, codes } }: ApplicationProps): Html {
  const path = applicationPath(id, "codes");
  return (
    <Card
      id="codes"
      title="Fixed codes"
      lead="Numbers that always get the same code, for tests that cannot read the inbox."
    >
      {Object.keys(codes).length === 0 && <EmptyNote>No number has a fixed code.</EmptyNote>}
      <ul class="items">
        {Object.entries(codes).map(([phone, code]) => (
          <li id={`code-${phone}`}>
            <strong class="number">{phone}</strong>
            <code class="text">{code}</code>
            <PostButton
              action={`${path}/remove`}
              label={`Remove the code of ${phone}`}
              icon="trash"
              bare
              fields={{ phone }}
            />
          </li>
        ))}
      </ul>
      <form method="post" action={path} class="fields">
        <Field label="Number">
          <input type="tel" name="phone" required placeholder="+4915112345678" autocomplete="off" />
        </Field>
        <Field label="Code">
          <input
            type="text"
            name="code"
            required
            inputmode="numeric"
            pattern="\d{4,10}"
            title="4 to 10 digits"
            placeholder="123456"
            autocomplete="off"
          />
        </Field>
        <SubmitButton label="Save code" />
      </form>
    </Card>
  );
}

/** Returns a copy of a record with one more entry. A missing key or value is empty, so that a later check refuses it. */
export function withEntry<Value>(
  record: Readonly<Record<string, Value>>,
  key: string | undefined,
  value: string | undefined,
): Readonly<Record<string, Value | string>> {
  return { ...record, [key ?? ""]: value ?? "" };
}

/** Returns a copy of a record without an entry. */
export function withoutEntry<Value>(
  record: Readonly<Record<string, Value>>,
  key: string | undefined,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}

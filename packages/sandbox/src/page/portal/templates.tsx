import { configureApplication } from "../../sandbox/applications.ts";
import { variablesOf } from "../../service/template.ts";
import { Field, PostButton, SubmitButton } from "../components/controls.tsx";
import { type ApplicationProps, Card, type Html } from "../components/elements.tsx";
import { applicationPath } from "../components/paths.ts";
import { type FormHandlers, ofApplication } from "../request/form-handler.ts";
import { withEntry, withoutEntry } from "./fixed-codes.tsx";

/** The handlers of the forms that change the templates of an application. */
export const templateForms: FormHandlers = {
  returning: {
    [`${ofApplication}/templates`]: ({ deps, application: { id, templates }, form }) =>
      configureApplication(deps, id, { templates: withEntry(templates, form.text("name"), form.text("text")) }),
    [`${ofApplication}/templates/remove`]: ({ deps, application: { id, templates }, form }) =>
      configureApplication(deps, id, { templates: withoutEntry(templates, form.text("name")) }),
  },
};

/** Shows the templates of an application with their variables, and a form that adds one. */
export function TemplatesCard({ application: { id, templates } }: ApplicationProps): Html {
  const path = applicationPath(id, "templates");
  return (
    <Card
      id="templates"
      title="Templates"
      lead={
        <>
          <code>{"{{code}}"}</code> is the code. Every other <code>{"{{word}}"}</code> is a variable of the request.
        </>
      }
    >
      <ul class="items">
        {Object.entries(templates).map(([name, text]) => (
          <li id={`template-${name}`}>
            <strong>{name}</strong>
            <span class="text">{text}</span>
            <span class="soft">{variablesText(text)}</span>
            <PostButton action={`${path}/remove`} label={`Remove ${name}`} icon="trash" bare fields={{ name }} />
          </li>
        ))}
      </ul>
      <form method="post" action={path} class="fields">
        <Field label="Name" hint="Replaces a template of the same name">
          <input type="text" name="name" required maxlength={80} autocomplete="off" />
        </Field>
        <Field label="Text" kind="wide">
          <textarea name="text" required rows={2} placeholder="Your code is {{code}}"></textarea>
        </Field>
        <SubmitButton label="Save template" />
      </form>
    </Card>
  );
}

function variablesText(text: string): string {
  const variables = variablesOf(text);
  return variables.length === 0 ? "no variables" : `variables: ${variables.join(", ")}`;
}

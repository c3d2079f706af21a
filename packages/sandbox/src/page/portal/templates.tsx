import { Card, Field, type Html } from "@doorcode/operations/page-parts";
import { variablesOf } from "../../service/template.ts";
import { FieldsForm, Input, Item } from "../components/controls.tsx";
import { applicationPath } from "../components/paths.ts";
import type { FormHandlers, PageRequest } from "../request/page-request.tsx";
import { entryForms } from "./entry-forms.ts";

/** The handlers of the forms that change the templates of an application. */
export const templateForms: FormHandlers = entryForms("templates", "name", "text");

/** Shows the templates of an application with their variables, and a form that adds one. */
export function TemplatesCard({ application: { id, templates } }: PageRequest): Html {
  const path = applicationPath(id, "templates");
  const lead = (
    <>
      <code>{"{{code}}"}</code> is the code. Every other <code>{"{{word}}"}</code> is a variable of the request.
    </>
  );
  return (
    <Card id="templates" title="Templates" lead={lead}>
      <ul class="items">
        {Object.entries(templates).map(([name, text]) => (
          <Item list={path} field="name" name={name}>
            <span class="text">{text}</span>
            <span class="soft">{variablesText(text)}</span>
          </Item>
        ))}
      </ul>
      <FieldsForm action={path} label="Save template">
        <Input label="Name" hint="Replaces a template of the same name" name="name" required maxlength={80} />
        <Field label="Text" kind="wide">
          <textarea name="text" required rows={2} placeholder="Your code is {{code}}"></textarea>
        </Field>
      </FieldsForm>
    </Card>
  );
}

function variablesText(text: string): string {
  const variables = variablesOf(text);
  return variables.length === 0 ? "no variables" : `variables: ${variables.join(", ")}`;
}

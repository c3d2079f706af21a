import type { Application } from "../../state/application.ts";
import { address } from "../address.ts";
import { Card } from "../controls/card.tsx";
import { Field, PostButton } from "../controls/form.tsx";
import type { Html } from "../html.ts";

/** The templates of an application with their variables. */
export function TemplateCard({
  application: { id, templates },
}: {
  readonly application: Pick<Application, "id" | "templates">;
}): Html {
  const path = address(id, "templates");
  return (
    <Card
      id="templates"
      title="Templates"
      lead={
        <>
          <code>{"{{code}}"}</code> stands for the code, any other <code>{"{{word}}"}</code> is a variable of the
          request.
        </>
      }
    >
      <ul class="items">
        {Object.entries(templates).map(([name, text]) => (
          <li id={`template-${name}`}>
            <strong>{name}</strong>
            <span class="text">{text}</span>
            <span class="soft">{variableWords(text)}</span>
            <PostButton action={`${path}/remove`} label={`Remove ${name}`} icon="trash" bare fields={{ name }} />
          </li>
        ))}
      </ul>
      <form method="post" action={path} class="fields">
        <Field label="Name" hint="An existing name is replaced">
          <input type="text" name="name" required maxlength={80} autocomplete="off" />
        </Field>
        <Field label="Text" kind="wide">
          <textarea name="text" required rows={2} placeholder="Your code is {{code}}"></textarea>
        </Field>
        <p class="act">
          <button type="submit">Save template</button>
        </p>
      </form>
    </Card>
  );
}

function variableWords(text: string): string {
  const names = [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((found) => found[1] ?? "");
  const variables = [...new Set(names)].filter((name) => name !== "code");
  return variables.length === 0 ? "no variables" : `variables: ${variables.join(", ")}`;
}

import { Refusal } from "../refusal.ts";
import type { Application } from "../state/application.ts";

const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

/** A template and what goes into it, as a verification request names them. */
export interface TemplateUse {
  readonly name: string;
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/**
 * Fills in a template of the application: `{{code}}` with the code, any other placeholder with its variable. What a
 * variable holds is text and is not filled in again.
 *
 * @throws Refusal `template.not_registered`; `request.invalid` for a variable that is missing.
 * @see "Verification request" of the specification
 */
export function renderTemplate(application: Application, { name, variables = {} }: TemplateUse, code: string): string {
  const template = Object.hasOwn(application.templates, name) ? application.templates[name] : undefined;
  if (template === undefined)
    throw new Refusal("template.not_registered", "No such template is registered.", "template.name");
  return template.replace(placeholder, (_, variable: string) => {
    if (variable === "code") return code;
    const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
    if (value !== undefined) return value;
    throw new Refusal("request.invalid", "The template needs this variable.", `template.variables.${variable}`);
  });
}

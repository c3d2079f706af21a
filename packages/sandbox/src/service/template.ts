import { Refusal } from "../primitives/refusal.ts";
import type { Application } from "../state/application.ts";
import type { TemplateUse } from "../wire/requests.ts";

const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

/**
 * Fills in a template of the application: `{{code}}` with the code, every other placeholder with its variable. The value of
 * a variable is plain text: placeholders in it stay as they are.
 *
 * @throws Refusal `template.not_registered`; `request.invalid` for a missing variable
 * @see "Verification request" of the specification
 */
export function renderTemplate(application: Application, { name, variables = {} }: TemplateUse, code: string): string {
  const template = Object.hasOwn(application.templates, name) ? application.templates[name] : undefined;
  if (template === undefined) {
    throw new Refusal("template.not_registered", "There is no such template.", "template.name");
  }
  return template.replace(placeholder, (_, variable: string) => {
    if (variable === "code") return code;
    const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
    if (value !== undefined) return value;
    throw new Refusal("request.invalid", "The template needs this variable.", `template.variables.${variable}`);
  });
}

/** Lists the variables of a template's text, each once. `code` is not a variable. */
export function variablesOf(text: string): readonly string[] {
  const names = [...text.matchAll(placeholder)].map((match) => match[1] ?? "");
  return [...new Set(names)].filter((name) => name !== "code");
}

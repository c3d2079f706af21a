import { Refusal } from "../primitives/errors.ts";
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
    throw new Refusal("template.not_registered", missing(name, Object.keys(application.templates)), "template.name");
  }
  return template.replace(placeholder, (_, variable: string) => {
    if (variable === "code") return code;
    const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
    if (value !== undefined) return value;
    throw new Refusal("request.invalid", "The template needs this variable.", `template.variables.${variable}`);
  });
}

/** Says which templates there are, and how to add one; in a few words, because clients cut long texts. */
function missing(name: string, names: readonly string[]): string {
  const known = names.length > 0 ? `It has ${names.slice(0, 5).join(", ")}` : "It has none";
  return `The application has no template "${name}". ${known}. Add it in the portal, or with the option templates.`;
}

/** Lists the variables of a template's text, each once. `code` is not a variable. */
export function variablesOf(text: string): readonly string[] {
  const names = [...text.matchAll(placeholder)].map((match) => match[1] ?? "");
  return [...new Set(names)].filter((name) => name !== "code");
}

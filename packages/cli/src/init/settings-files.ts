import { parseEnv } from "node:util";
import { parseExpressionAt } from "acorn";
import { memberOf, propertyOf } from "./syntax.ts";
import { applyEdits, insertion } from "./text-edit.ts";

/** The sandbox's constant credentials. They are public, and give access only to a sandbox on the same machine. */
export const sandboxVariables: Readonly<Record<string, string>> = {
  SERVICE_URL: "http://localhost:4010/v1",
  SERVICE_API_KEY: "sandbox-api-key",
  WEBHOOK_SECRET: "sandbox-webhook-secret",
  SESSION_PASSWORD: "sandbox-session-password-for-development-only",
};

/** Adds the variables of the kit that an `.env` file lacks. Those it has stay as they are, also empty ones. */
export function withVariables(text: string): string {
  const present = parseEnv(text);
  const missing = Object.entries(sandboxVariables).filter(([name]) => present[name] === undefined);
  if (missing.length === 0) return text;
  const lines = missing.map(([name, value]) => `${name}=${value}`);
  const comment = "# Doorcode: credentials of the sandbox. They are valid only with a sandbox on this machine.";
  return `${endLine(text)}${[comment, ...lines].join("\n")}\n`;
}

/** Adds `.env` to a `.gitignore` that does not cover it. */
export function withoutSecrets(text: string): string {
  const covers = text.split(/\r?\n/).some((line) => /^\/?\*?\.env\*?\s*$/.test(line));
  return covers ? text : `${endLine(text)}.env\n`;
}

/** Sets a script in the text of a package.json, which keeps its format. */
export function withScript(text: string, name: string, command: string): string {
  const manifest = parseExpressionAt(text, 0, { ecmaVersion: "latest" });
  if (manifest.type !== "ObjectExpression") return text;
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
  const entry = `${JSON.stringify(name)}: ${JSON.stringify(command)}`;
  const scripts = propertyOf(manifest, "scripts");
  if (scripts?.type !== "ObjectExpression") {
    const code = `\n${indent}"scripts": {\n${indent}${indent}${entry}\n${indent}}`;
    const ending = manifest.properties.length > 0 ? "," : "\n";
    return applyEdits(text, [insertion(manifest.start + 1, code + ending)]);
  }
  const present = memberOf(scripts, name);
  if (present) return applyEdits(text, [{ start: present.start, end: present.end, code: entry }]);
  const line = `\n${indent}${indent}${entry}`;
  const last = scripts.properties.at(-1);
  const added = last ? insertion(last.end, `,${line}`) : insertion(scripts.start + 1, `${line}\n${indent}`);
  return applyEdits(text, [added]);
}

/** Ends the last line of a text. */
export function endLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

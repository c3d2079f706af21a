import { type AnyNode, type ObjectExpression, parseExpressionAt } from "acorn";
import type { SourceFile } from "../source-file.ts";
import { declaredValue, keyOf, literalText, propertyOf } from "../syntax.ts";
import { applyEdits, insertion, type TextEdit } from "../text-edit.ts";
import { compiledAlternative, compiledPattern, defaultTransform, esmPackages, ignoredPatterns } from "./transformer.ts";

/** The object literal of a configuration, in its file. */
export interface JestConfig {
  /** The text of the file. */
  readonly text: string;
  /** The syntax tree of the object. */
  readonly object: ObjectExpression;
  /** Whether names have quotes. */
  readonly isJson: boolean;
}

/** Parses a configuration in JSON; with `key`, the one below this name. */
export function jestConfigInJson(text: string, key?: string): JestConfig | undefined {
  try {
    const root = parseExpressionAt(text, 0, { ecmaVersion: "latest" });
    const object = key === undefined ? root : propertyOf(root, key);
    return object?.type === "ObjectExpression" ? { text, object, isJson: true } : undefined;
  } catch {
    return undefined;
  }
}

/** Finds the object literal that a module exports as its configuration. */
export function jestConfigInModule(file: SourceFile): JestConfig | undefined {
  const { text, program } = file;
  let exported: AnyNode | undefined;
  for (const node of program.body) {
    if (node.type === "ExportDefaultDeclaration") exported = node.declaration;
    const set = node.type === "ExpressionStatement" ? node.expression : undefined;
    if (set?.type === "AssignmentExpression" && text.slice(set.left.start, set.left.end) === "module.exports") {
      exported = set.right;
    }
  }
  const object = objectOf(file, exported);
  return object && { text, object, isJson: false };
}

/** Follows a name, and the function `defineConfig` of Jest. */
function objectOf(file: SourceFile, node: AnyNode | null | undefined): ObjectExpression | undefined {
  if (node?.type === "CallExpression" && keyOf(node.callee) === "defineConfig")
    return objectOf(file, node.arguments[0]);
  const value = node?.type === "Identifier" ? declaredValue(file, node.name) : node;
  return value?.type === "ObjectExpression" ? value : undefined;
}

/** Returns the text of a string that a configuration names; `undefined` if there is none, `null` if it is computed. */
export function stringIn({ object }: JestConfig, name: string): string | null | undefined {
  const value = propertyOf(object, name);
  return value && (literalText(value) ?? null);
}

/** The paths of the two files, as a configuration names them. */
export interface JestFiles {
  readonly transformer: string;
  readonly variables: string;
}

/** Adds the two files to a configuration. Returns `undefined` if it cannot tell what the configuration means. */
export function withJestFiles(config: JestConfig, { transformer, variables }: JestFiles): string | undefined {
  const { text, object } = config;
  if (propertyOf(object, "projects") || mayHaveOthers(object)) return undefined;
  const parts = [transformEdit(config, transformer), ignoreEdit(config), setupEdit(config, variables)];
  if (!parts.every((part) => part !== undefined)) return undefined;
  const members = parts.flatMap(({ members }) => members);
  return applyEdits(text, [...parts.flatMap(({ edits }) => edits), ...firstMembers(config, object, members)]);
}

/** The change of one option: edits in its value, or the option as a new member. */
interface OptionChange {
  readonly edits: readonly TextEdit[];
  readonly members: readonly string[];
}

/** Jest takes the first pattern that matches. Where the app names none, its default must be named. */
function transformEdit(config: JestConfig, transformer: string): OptionChange | undefined {
  const { object } = config;
  const entry = `${JSON.stringify(compiledPattern)}: ${JSON.stringify(transformer)}`;
  const transform = propertyOf(object, "transform");
  if (transform) {
    if (transform.type !== "ObjectExpression") return undefined;
    return { edits: firstMembers(config, transform, [entry]), members: [] };
  }
  const preset = stringIn(config, "preset");
  if (preset === null || (preset && !preset.startsWith("ts-jest"))) return undefined;
  const entries = preset ? entry : `${entry}, ${defaultTransform}`;
  return { edits: [], members: [`${nameIn(config, "transform")}: { ${entries} }`] };
}

function ignoreEdit(config: JestConfig): OptionChange | undefined {
  const { object } = config;
  const ignored = propertyOf(object, "transformIgnorePatterns");
  if (!ignored) {
    const patterns = ignoredPatterns.map((each) => JSON.stringify(each)).join(", ");
    return { edits: [], members: [`${nameIn(config, "transformIgnorePatterns")}: [${patterns}]`] };
  }
  if (ignored.type !== "ArrayExpression") return undefined;
  const edits: TextEdit[] = [];
  for (const each of ignored.elements) {
    const given = literalText(each);
    const pattern = given === undefined ? undefined : withoutCompiled(given);
    if (!each || pattern === undefined) return undefined;
    const code = styled(config, JSON.stringify(pattern));
    if (pattern !== given) edits.push({ start: each.start, end: each.end, code });
  }
  return { edits, members: [] };
}

/** The last of all: a file of the app that loads `.env` comes first. */
function setupEdit(config: JestConfig, variables: string): OptionChange | undefined {
  const { object } = config;
  const setup = propertyOf(object, "setupFiles");
  const entry = JSON.stringify(variables);
  if (!setup) return { edits: [], members: [`${nameIn(config, "setupFiles")}: [${entry}]`] };
  if (setup.type !== "ArrayExpression") return undefined;
  const last = setup.elements.at(-1);
  const code = `${last ? ", " : ""}${styled(config, entry)}`;
  return { edits: [insertion(last?.end ?? setup.start + 1, code)], members: [] };
}

/** Returns a pattern of ignored files that leaves the files to compile, or `undefined` if it is not known how. */
function withoutCompiled(pattern: string): string | undefined {
  if (!ignoresCompiled(pattern)) return pattern;
  const changed = /^(<rootDir>\/|\/)?node_modules\/?$/.test(pattern)
    ? ignoredPatterns[0]
    : pattern.replace(/(node_modules(?:\/|\\\/|\[[^\]]+\])\(\?!)/, `$1${compiledAlternative.replaceAll("$", "$$$$")}|`);
  return changed !== undefined && !ignoresCompiled(changed) ? changed : undefined;
}

function ignoresCompiled(pattern: string): boolean {
  const expression = new RegExp(pattern.replaceAll("<rootDir>", "/app"));
  const folders = ["/app/node_modules", "/app/node_modules/.pnpm/a/node_modules"];
  return folders.some((folder) => esmPackages.some((name) => expression.test(`${folder}/${name}/dist/index.js`)));
}

/** Members are added in front: a comma or a comment at the end stays where it is. */
function firstMembers(
  config: JestConfig,
  { start, properties }: ObjectExpression,
  members: readonly string[],
): readonly TextEdit[] {
  if (members.length === 0) return [];
  const at = start + 1;
  const space = (properties.length > 0 && /^\s+/.exec(config.text.slice(at))?.[0]) || " ";
  const code = members.map((member) => space + styled(config, member)).join(",");
  return [insertion(at, `${code}${properties.length > 0 ? "," : " "}`)];
}

/** Writes code with the quotes of the configuration. */
function styled({ text, isJson }: JestConfig, code: string): string {
  const hasSingle = !isJson && text.split("'").length > text.split('"').length;
  return hasSingle ? code.replaceAll('"', "'") : code;
}

function nameIn({ isJson }: JestConfig, name: string): string {
  return isJson ? JSON.stringify(name) : name;
}

/** A spread may have the options that the object itself does not name. */
function mayHaveOthers(object: ObjectExpression): boolean {
  const isComplete = ["transform", "transformIgnorePatterns", "setupFiles"].every((name) => propertyOf(object, name));
  return !isComplete && object.properties.some(({ type }) => type === "SpreadElement");
}

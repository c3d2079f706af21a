import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PhoneLogin } from "@doorcode/browser/element";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(folder, path), "utf8");

interface Named {
  readonly name: string;
  readonly description: string;
}
interface Declaration {
  readonly attributes: readonly Named[];
  readonly members: readonly Named[];
  readonly events: readonly Named[];
  readonly cssProperties: readonly Named[];
  readonly cssParts: readonly Named[];
}

const [declaration] = JSON.parse(read("custom-elements.json")).modules[0].declarations as [Declaration];
const documented = (list: keyof Declaration) => declaration[list].map(({ name }) => name).sort();
const unique = (names: Iterable<string>) => [...new Set(names)].sort();

/** The public properties of the element. */
function propertiesOf(element: typeof PhoneLogin): readonly string[] {
  const descriptors = Object.entries(Object.getOwnPropertyDescriptors(element.prototype));
  return descriptors.filter(([, { get }]) => get !== undefined).map(([name]) => name);
}

/** The parts that the views write. */
function partsOfViews(): readonly string[] {
  const sources = globSync("src/{view,server}/*.ts", { cwd: folder }).map(read).join("\n");
  const written = [
    ...sources.matchAll(/(?:part: (?:codeLength \? )?|formButton\(view, [^,]+, )[`"]([^`"]+)[`"]/g),
  ].flatMap(([, names]) => (names ?? "").split(" "));
  // Where a name is computed: the actions of forms, the steps, and the statuses of a delivery.
  const computed = {
    "${action}-form": ["start-form", "confirm-form", "resend-form", "cancel-form", "logout-form"],
    "${step}-step": ["phone-step", "code-step", "done-step", "loading-step"],
    "slots-${codeLength}": Array.from({ length: 7 }, (_, index) => `slots-${4 + index}`),
    "${status}": ["sending", "sent", "delivered", "failed"],
  };
  return written.flatMap((name) => (name in computed ? computed[name as keyof typeof computed] : [name]));
}

test.each<[keyof Declaration, readonly string[]]>([
  ["attributes", PhoneLogin.observedAttributes],
  ["members", propertiesOf(PhoneLogin)],
  ["events", read("src/element/events.ts").match(/(?<=")phone-login:[a-z]+(?=")/g) ?? []],
  ["cssProperties", read("src/phone-login.css").match(/--phone-login-[a-z-]+/g) ?? []],
  ["cssParts", partsOfViews()],
])("the manifest names all %s of the element, and no others", (list, names) => {
  expect(documented(list)).toEqual(unique(names));
});

test("everything in the manifest is described", () => {
  const all = Object.values(declaration).filter(Array.isArray).flat() as Named[];
  expect(all.filter(({ description }) => !description?.endsWith("."))).toEqual([]);
});

test("the style sheet styles no part that does not exist", () => {
  const styled = [...read("src/phone-login.css").matchAll(/\[part[~]?="([a-z-]+)"\]/g)].map(([, name]) => name ?? "");
  expect(unique(styled).filter((name) => !documented("cssParts").includes(name))).toEqual([]);
});

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

test("the manifest names every attribute that the element observes", () => {
  expect(documented("attributes")).toEqual(unique(PhoneLogin.observedAttributes));
});

test("the manifest names every public property", () => {
  const descriptors = Object.getOwnPropertyDescriptors(PhoneLogin.prototype);
  const properties = Object.entries(descriptors).filter(([, { get }]) => get !== undefined);
  expect(documented("members")).toEqual(unique(properties.map(([name]) => name)));
});

test("the manifest names every event", () => {
  const names = read("src/element/events.ts").match(/"phone-login:[a-z]+"/g) ?? [];
  expect(documented("events")).toEqual(unique(names.map((name) => name.slice(1, -1))));
});

test("the manifest names every custom property of the style sheet", () => {
  expect(documented("cssProperties")).toEqual(
    unique(read("src/phone-login.css").match(/--phone-login-[a-z-]+/g) ?? []),
  );
});

test("the manifest names every part", () => {
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
  const parts = written.flatMap((name) => (name in computed ? computed[name as keyof typeof computed] : [name]));
  expect(documented("cssParts")).toEqual(unique(parts));
});

test("everything in the manifest is described", () => {
  const all = Object.values(declaration).filter(Array.isArray).flat() as Named[];
  expect(all.filter(({ description }) => !description?.endsWith("."))).toEqual([]);
});

test("the style sheet styles no part that does not exist", () => {
  const styled = [...read("src/phone-login.css").matchAll(/\[part[~]?="([a-z-]+)"\]/g)].map(([, name]) => name ?? "");
  expect(unique(styled).filter((name) => !documented("cssParts").includes(name))).toEqual([]);
});

import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { stringsOf } from "@doorcode/browser/server";
import { createDoorcode, createMemoryStore } from "@doorcode/core";
import { operations } from "@doorcode/operations/fetch";
import { createSandbox } from "@doorcode/sandbox";
import { expect, onTestFinished, test } from "vitest";

const folder = resolve(import.meta.dirname, "../../docs/screenshots");

/** What the pictures show, as the script that has taken them wrote it. */
const pictures = Object.entries<{ readonly lang: string; readonly words: readonly string[] }>(
  JSON.parse(readFileSync(resolve(folder, "words.json"), "utf8")),
);
const isOfLogin = ([name]: readonly [string, unknown]) => /^login-|^step-up$/.test(name);
const isOfOperations = ([name]: readonly [string, unknown]) => name.startsWith("operations");
const fix = "take the pictures again: node scripts/run.mjs scripts/screenshots.ts";

/** Lists the sentences of a language, with every channel in them. */
function sentencesOf(words: object, channels: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(words).flatMap((text: string | object) =>
    typeof text === "object"
      ? sentencesOf(text, channels)
      : [text, ...Object.values(channels).map((channel) => text.replace("{channel}", channel))],
  );
}

test("every picture was taken by the script, with its words", () => {
  const files = readdirSync(folder).filter((file) => file.endsWith(".png"));
  expect(pictures.map(([name]) => `${name}.png`).sort()).toEqual(files.sort());
});

function labelsOf(html: string): readonly (string | undefined)[] {
  return [...html.matchAll(/<span class="label">([^<]+)</g)].map(([, label]) => label?.replace("&amp;", "&"));
}

test("the pictures of the sandbox have the navigation of today", async () => {
  const sandbox = await createSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const labels = labelsOf(await (await fetch(`${sandbox.url}/applications/default`)).text());
  // A picture of a part of a page has none.
  const shown = pictures.filter(
    (picture) => !isOfLogin(picture) && !isOfOperations(picture) && picture[1].words.length > 0,
  );
  expect(shown.length).toBeGreaterThan(2);
  for (const [name, { words }] of shown) expect(words, `${name}: ${fix}`).toEqual(labels);
});

test("the pictures of the operators' page have the navigation of today", async () => {
  const doorcode = createDoorcode({ store: createMemoryStore() });
  onTestFinished(() => doorcode.close());
  const page = operations(doorcode, { basePath: "/operations", operator: async () => "ada" });
  const labels = labelsOf(
    await ((await page(new Request("http://localhost/operations"), { remoteAddress: "127.0.0.1" })) as Response).text(),
  );
  expect(labels.length).toBeGreaterThan(5);
  const shown = pictures.filter(isOfOperations);
  expect(shown.length).toBeGreaterThan(1);
  for (const [name, { words }] of shown) expect(words, `${name}: ${fix}`).toEqual(labels);
});

test("the pictures of the login page have the words of today", () => {
  const shown = pictures.filter(isOfLogin);
  expect(shown.length).toBeGreaterThan(5);
  for (const [name, { lang, words }] of shown) {
    const strings = stringsOf(lang);
    expect(sentencesOf(strings, strings.channels), `${name}: ${fix}`).toEqual(expect.arrayContaining([...words]));
    expect(words.length, name).toBeGreaterThan(0);
  }
});

import { expect, test } from "vitest";
import {
  autoloadTypesApp,
  expressJwtApp,
  expressSessionApp,
  honoApp,
  ironSessionApp,
  jsonwebtokenApp,
  nextApp,
  nextAuthApp,
  passportJwtApp,
  passportTypesApp,
  secureSessionApp,
  svelteApp,
} from "./apps-with-logins.ts";
import { initApp } from "./init-app.ts";
import { type SampleApp, sampleApps } from "./sample-apps.ts";
import { typeErrors } from "./type-errors.ts";

/** A file of an app with these texts in place of others. */
function changed({ files }: SampleApp, path: string, texts: Readonly<Record<string, string>>): SampleApp["files"] {
  const edit = (text: string, [from, to]: [string, string]) => text.replaceAll(from, to);
  return { [path]: Object.entries(texts).reduce(edit, files[path] ?? "") };
}

/** The table of users as `init` suggests it: the number is new, and the others may be null. */
const suggested = changed(nextApp, "lib/db/schema.ts", {
  "{ length: 255 }).notNull()": "{ length: 255 })",
  "text('password_hash').notNull()": "text('password_hash'),\n  phone: text('phone').unique()",
});

/** A secret that may be missing. */
const withoutDefault = changed(jsonwebtokenApp, "index.ts", {
  "env.JWT_SECRET || 'a secret'": "env.JWT_SECRET as string",
});

// Two groups, because each session declares its members for the whole project.
test.each([
  {
    title: "express-session, @fastify/secure-session, tokens, Next.js, SvelteKit and Hono",
    apps: [
      { sample: sampleApps["Express 5, TypeScript"] },
      { sample: expressSessionApp },
      { sample: secureSessionApp },
      { sample: passportJwtApp },
      { sample: jsonwebtokenApp, files: withoutDefault },
      { sample: expressJwtApp },
      { sample: nextApp, files: suggested },
      { sample: nextAuthApp("4.24.0") },
      { sample: nextAuthApp("5.0.0-beta.25") },
      { sample: ironSessionApp },
      { sample: svelteApp },
      { sample: honoApp },
    ],
  },
  { title: "Passport and @fastify/session", apps: [{ sample: passportTypesApp }, { sample: autoloadTypesApp }] },
])("the TypeScript that init writes compiles under strict options, with $title", async ({ apps }) => {
  const folders: string[] = [];
  for (const { sample, files } of apps) folders.push((await initApp(sample, files, "--page")).folder);
  expect(typeErrors(folders)).toBe("");
});

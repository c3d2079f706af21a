import { expect, test } from "vitest";
import { withoutSecrets, withScript, withVariables } from "../src/init/settings-files.ts";

test.each([
  {
    title: "with scripts",
    text: '{\n  "name": "shop",\n  "scripts": {\n    "start": "node ."\n  },\n  "files": ["a", "b"]\n}\n',
  },
  { title: "with tabs", text: '{\n\t"scripts": {\n\t\t"start": "node ."\n\t}\n}' },
  { title: "with empty scripts", text: '{\n  "scripts": {},\n  "name": "shop"\n}\n' },
  { title: "without scripts", text: '{\n  "name": "shop"\n}\n' },
  { title: "on one line", text: '{"name":"shop","scripts":{"start":"node ."}}' },
  { title: "without anything", text: "{}" },
])("a script is added to package.json, $title, and everything else stays", ({ text }) => {
  const after = withScript(text, "dev", 'run "it"');
  const { scripts, ...others } = JSON.parse(text);
  expect(JSON.parse(after)).toEqual({ ...others, scripts: { ...scripts, dev: 'run "it"' } });
  const kept = text.split("\n").filter((line) => /files|name/.test(line) && text.includes("\n"));
  for (const line of kept) expect(after).toContain(line);
});

test("an .env file with all variables stays as it is, also with empty ones", () => {
  const text = "SERVICE_URL=\nSERVICE_API_KEY=a\nexport WEBHOOK_SECRET='b'\nSESSION_PASSWORD=c";
  expect(withVariables(text)).toBe(text);
});

test.each([".env", "/.env", ".env*", ".env.*\n.env", "node_modules\r\n.env\r\n"])(
  "a .gitignore with %j stays as it is",
  (text) => {
    expect(withoutSecrets(text)).toBe(text);
  },
);

test.each(["", "node_modules", ".env.local\n", "!.env\n", ".env.*\n"])("a .gitignore with %j gets .env", (text) => {
  expect(withoutSecrets(text).split("\n")).toContain(".env");
  expect(withoutSecrets(text).startsWith(text)).toBe(true);
});

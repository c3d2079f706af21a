import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const script = resolve(import.meta.dirname, "../../scripts/trim-package.ts");

const built = {
  "package.json": JSON.stringify({ exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } } }),
  "dist/index.js": 'import "./chunks/one.js";\n//# sourceMappingURL=index.js.map\n',
  "dist/index.js.map": "{}",
  "dist/index.d.ts":
    '/**\n * @example\n * import "./example.ts";\n */\nexport {\n  type One,\n} from "./part/one.ts";\n//# sourceMappingURL=index.d.ts.map\n',
  "dist/index.d.ts.map": "{}",
  "dist/chunks/one.js": "export const one = 1;\n",
  "dist/part/one.d.ts": 'import type { Two } from "./two.ts";\nexport type One = Two;\n',
  "dist/part/two.d.ts": "export type Two = 2;\n",
  "dist/part/inner.d.ts": 'import type { z } from "zod";\nexport declare const shape: z.ZodType;\n',
  "dist/example.d.ts": "export {};\n",
  "dist/.tsbuildinfo": "{}",
};

test("a package that is packed has no source maps, and only declarations that an entry leads to", () => {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-trim-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [file, text] of Object.entries(built)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  execFileSync(process.execPath, [script], { cwd: folder });

  const files = globSync("dist/**/{*,.tsbuildinfo}", { cwd: folder, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.map(({ name }) => name).sort()).toEqual(["index.d.ts", "index.js", "one.d.ts", "one.js", "two.d.ts"]);
  expect(readFileSync(join(folder, "dist/index.js"), "utf8")).toBe('import "./chunks/one.js";\n');
  expect(readFileSync(join(folder, "dist/index.d.ts"), "utf8")).not.toContain("sourceMappingURL");
});

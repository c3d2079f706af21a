import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { findUnread } from "./unread-files.ts";

/*
 * Removes from `dist` in the current folder, before the package is packed, what no app reads. The next build writes all of it again.
 * A package that others build on does so right after it was packed (`postpack`): a release packs the others at the same time, and each
 * would write it while the others read it.
 */
for (const file of findUnread(process.cwd())) rmSync(file);
for (const file of globSync("dist/**/*.{js,d.ts}")) {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/^\/\/# sourceMappingURL=.*\n?/m, ""));
}
rmSync("dist/.tsbuildinfo");

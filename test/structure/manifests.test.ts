import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { repositoryPage, root } from "./repository.ts";

const read = (file: string) => JSON.parse(readFileSync(resolve(root, file), "utf8"));
const { author, license, bugs, repository } = read("package.json");

test.each(globSync("packages/*", { cwd: root }))(
  "%s says where it comes from, and is published with its provenance",
  (folder) => {
    expect(read(`${folder}/package.json`)).toMatchObject({
      author,
      license,
      bugs,
      homepage: `${repositoryPage}/tree/main/${folder}#readme`,
      repository: { ...repository, directory: folder },
      publishConfig: { access: "public", provenance: true },
      keywords: expect.arrayContaining(["doorcode"]),
      engines: { node: ">=22.19" },
    });
  },
);

/** An entry of a package: a style sheet has no types. */
interface Entry {
  readonly types?: string;
  readonly default?: string;
}

test.each(globSync("packages/*", { cwd: root }))(
  "a compiler that reads no exports finds every entry of %s",
  (folder) => {
    const { main, types, typesVersions, exports: entries } = read(`${folder}/package.json`);
    const [mainEntry, ...others] = Object.entries<Entry>(entries).filter(([, entry]) => entry.types);
    expect({ main, types }).toEqual({ main: mainEntry?.[1].default, types: mainEntry?.[1].types });
    const expected = Object.fromEntries(others.map(([path, entry]) => [path.replace("./", ""), [entry.types]]));
    expect(typesVersions?.["*"] ?? {}).toEqual(expected);
  },
);

import { join } from "node:path";
import { installedSize } from "./install/installed-size.ts";
import { startChild } from "./measure/child.ts";
import { before, quick, report, withPeers } from "./measure/run.ts";
import { createRandom, shuffled, spreadOf } from "./measure/statistics.ts";
import type { Cost, Role } from "./measure/subject.ts";

/** What the kit adds to an app of Express: at each start, and on the disk. */
const rounds = quick ? 1 : 15;
const packages = join(import.meta.dirname, "../../packages");
const peersFolder = join(import.meta.dirname, "peers/node_modules");

const kit = { name: "@doorcode/express", role: "doorcode", program: "programs/first-answer.ts", word: "kit" } as const;
const bare = { name: "Express alone", role: "limit", program: "programs/first-answer.ts", word: "bare" } as const;
const peerNames = withPeers ? ["stripe", "twilio", "better-auth"] : [];
const peers = peerNames.map((name) => ({ name, role: "peer", program: "peers/first-answer.ts", word: name }) as const);
const noise = { ...bare, name: "Express alone, again", role: "noise" as Role };
const kitBefore = { ...kit, name: `${kit.name}, before`, role: "before" as Role, checkout: before };
const started = [bare, noise, kit, ...(before === undefined ? [] : [kitBefore]), ...peers].map((one) => ({
  checkout: undefined,
  ...one,
  costs: [] as Cost[],
}));

const random = createRandom(15);
for (let round = 0; round < rounds; round++) {
  for (const { program, word, checkout, costs } of shuffled(started, random)) {
    const child = await startChild(program, [word], checkout);
    costs.push(child.hello as Cost);
    await child.close();
  }
}

const alone = started[0]?.costs ?? [];
for (const { name, role, costs } of started) {
  const added = spreadOf(
    costs.map((cost, round) => cost.cpuMicroseconds - (alone[round]?.cpuMicroseconds ?? Number.NaN)),
  );
  const [median, lower, upper] = [added.median, added.lower, added.upper].map((figure) => Math.round(figure / 1000));
  report([
    {
      row: "import",
      subject: name,
      role,
      value: role === "limit" ? "–" : `${median} ms more (${lower} to ${upper})`,
      cpuMicroseconds: spreadOf(costs.map(({ cpuMicroseconds }) => cpuMicroseconds)).median,
      wallMicroseconds: spreadOf(costs.map(({ wallMicroseconds }) => wallMicroseconds)).median,
    },
  ]);
}

function reportSize(subject: string, role: Role, folders: readonly string[]): void {
  const size = installedSize(folders);
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
  const metadata = size.phoneMetadataBytes > 0 ? `, ${megabytes(size.phoneMetadataBytes)} MB of it phone metadata` : "";
  const value = `${megabytes(size.bytes)} MB in ${size.packages} packages${metadata}`;
  report([{ row: "install", subject, role, value }]);
}

reportSize("@doorcode/express", "doorcode", [join(packages, "core"), join(packages, "express")]);
for (const name of peerNames) reportSize(name, "peer", [join(peersFolder, name)]);

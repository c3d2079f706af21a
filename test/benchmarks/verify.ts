import { startOperations } from "./measure/operations-subject.ts";
import { measureRow, withPeers } from "./measure/run.ts";
import type { Role, StartSubject } from "./measure/subject.ts";

/** What it costs to tell that a webhook is the service's, without HTTP. */
function start(name: string, role: Role, program: string, ...words: readonly string[]): StartSubject {
  return (checkout) => startOperations({ name, role, program, words, checkout });
}

const kit = "programs/verify.ts";

function peers(names: readonly string[], bytes: string): readonly StartSubject[] {
  return withPeers ? names.map((name) => start(name, "peer", "peers/verify.ts", name, bytes)) : [];
}

for (const [row, bytes] of [
  ["verify 1 KB", "1024"],
  ["verify 64 KB", "65536"],
] as const) {
  await measureRow(row, [
    start("bare", "limit", kit, "bare", bytes),
    start("bare again", "noise", kit, "bare", bytes),
    start("the mount", "doorcode", kit, "mount", bytes),
    start("createWebhookVerifier", "doorcode", kit, "verifier", bytes),
    ...peers(["octokit", "stripe", "twilio", "standardwebhooks", "svix"], bytes),
  ]);
}

await measureRow("verify and parse 1 KB", [
  start("bare", "limit", kit, "bare and parsed", "1024"),
  start("bare again", "noise", kit, "bare and parsed", "1024"),
  start("the mount", "doorcode", kit, "mount and parsed", "1024"),
  start("createWebhookVerifier, parseEvent", "doorcode", kit, "verifier and parsed", "1024"),
  ...peers(["stripe constructEvent"], "1024"),
]);

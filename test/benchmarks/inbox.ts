import { startOperations } from "./measure/operations-subject.ts";
import { measureRow } from "./measure/run.ts";
import type { Role, StartSubject } from "./measure/subject.ts";
import { hasRedis } from "./stores/candidates.ts";

/** What an event costs that is added to an inbox, handled and completed, with 32 on their way at once. */
function start(name: string, role: Role, program: string, ...words: readonly string[]): StartSubject {
  return (checkout) => startOperations({ name, role, program, words, checkout });
}

const kit = "programs/inbox.ts";
const bullmq = "programs/inbox-bullmq.ts";
const size = { warmUpCpuMilliseconds: 1500, sampleCpuMilliseconds: 150 };

if (hasRedis) {
  await measureRow(
    "inbox on BullMQ",
    [
      start("BullMQ alone", "limit", bullmq),
      start("BullMQ alone, again", "noise", bullmq),
      start("the inbox with a mark for each event", "reference", kit, "Redis", "marks"),
      start("the kit's worker", "doorcode", kit, "Redis", "kit"),
    ],
    size,
  );
}
await measureRow(
  "inbox on PostgreSQL",
  [
    start("the inbox alone", "limit", kit, "PostgreSQL", "engine"),
    start("the inbox alone, again", "noise", kit, "PostgreSQL", "engine"),
    start("the inbox with a mark for each event", "reference", kit, "PostgreSQL", "marks"),
    start("the kit's worker", "doorcode", kit, "PostgreSQL", "kit"),
  ],
  size,
);

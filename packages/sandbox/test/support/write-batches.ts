import { writeSync } from "node:fs";
import { openDataFile } from "../../src/state/data-file.ts";
import { createState } from "../../src/state/state.ts";
import { delivery, message } from "./records.ts";

// Runs as a separate process. It writes batches of records to a data file and reports each complete one, until it is killed.
// Batch n adds message n and ten deliveries, and changes all deliveries of the previous batch.
const [path = "", stopInBatch] = process.argv.slice(2);
const state = createState({ journalOf: openDataFile(path).journalOf, maxMessages: 100_000 });
const size = 10;

function writeBatch(number: number): void {
  state.messages.put(message(`msg_${number}`));
  for (let index = 0; index < size; index++) state.deliveries.put(delivery(`dlv_${number}_${index}`));
  if (number === Number(stopInBatch)) {
    writeSync(1, "stopped in the middle\n");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  for (let index = 0; index < size && number > 1; index++) {
    state.deliveries.put({ ...delivery(`dlv_${number - 1}_${index}`), status: "delivered" });
  }
}

for (let number = 1; ; number++) {
  writeBatch(number);
  // An answer that depends on a batch leaves after the microtasks of its run. The batch must be safe by then.
  await undefined;
  writeSync(1, `${number}\n`);
}

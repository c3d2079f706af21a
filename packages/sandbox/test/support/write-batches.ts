import { writeSync } from "node:fs";
import { openDataFile } from "../../src/state/data-file.ts";
import { createState } from "../../src/state/state.ts";
import { delivery, message } from "./records.ts";

// A process of its own: writes acts of records to a data file, and tells of each that is finished, until it is killed.
// Act n adds message n and ten deliveries, and changes all deliveries of the act before.
const [path = "", stopInAct] = process.argv.slice(2);
const state = createState(openDataFile(path).journals);
const size = 10;

function act(number: number): void {
  state.messages.put(message(`msg_${number}`));
  for (let index = 0; index < size; index++) state.deliveries.put(delivery(`dlv_${number}_${index}`));
  if (number === Number(stopInAct)) {
    writeSync(1, "stopped in the middle\n");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  for (let index = 0; index < size && number > 1; index++) {
    state.deliveries.change(`dlv_${number - 1}_${index}`, (pending) => ({ ...pending, status: "delivered" }));
  }
}

for (let number = 1; ; number++) {
  act(number);
  // What answers for an act leaves after the microtasks of its run: that is when the act must be safe.
  await undefined;
  writeSync(1, `${number}\n`);
}

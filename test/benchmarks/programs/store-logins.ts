import { serveOperations } from "../measure/program.ts";
import { createDriver } from "../stores/driver.ts";
import { openCandidate } from "./open-candidate.ts";

const { store, close } = await openCandidate(process.argv[2]);
const driver = createDriver(store);

serveOperations(
  async () => {
    const visitor = driver.visitor();
    await driver.start(visitor);
    await driver.confirm(visitor);
    return true;
  },
  { atOnce: 32, close },
);

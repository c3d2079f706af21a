import { serveOperations } from "../measure/program.ts";
import { openAskingRedis } from "../stores/asking-redis.ts";
import { createDriver } from "../stores/driver.ts";
import { openCandidate } from "./open-candidate.ts";

const name = process.argv[2];
const { store, close } = name === "asking" ? await openAskingRedis() : await openCandidate(name);
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

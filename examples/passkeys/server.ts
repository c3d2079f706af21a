import { createSqliteStore } from "@doorcode/sqlite";
import { createApp } from "./app.ts";
import { createKit } from "./kit.ts";

const port = Number(process.env.PORT ?? 3000);
const kit = createKit(process.env, {
  store: createSqliteStore({ file: "./doorcode.sqlite" }),
  databaseFile: "./accounts.sqlite",
});
createApp(kit).listen(port, "localhost", (error) => {
  if (error) throw error;
  process.stdout.write(`http://localhost:${port}\n`);
});

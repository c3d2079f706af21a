import { createApp } from "./app.ts";

const port = Number(process.env.PORT ?? 3000);
createApp(process.env, { folder: import.meta.dirname }).listen(port, "localhost", (error) => {
  if (error) throw error;
  process.stdout.write(`http://localhost:${port}\n`);
});

import { createApp } from "./app.ts";

const port = Number(process.env.PORT ?? 3000);
await createApp(process.env, { folder: import.meta.dirname }).listen({ port, host: "localhost" });
process.stdout.write(`http://localhost:${port}\n`);

import { createApp } from "./app.ts";

const port = Number(process.env.PORT ?? 3000);
await createApp().listen({ port, host: "localhost" });
process.stdout.write(`http://localhost:${port}\n`);

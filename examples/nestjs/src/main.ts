import "reflect-metadata";
import { webhooks } from "@doorcode/express";
import { NestFactory } from "@nestjs/core";
import type { NestExpressApplication } from "@nestjs/platform-express";
import { AppModule } from "./app.module.ts";
import { doorcode, login } from "./doorcode.ts";

const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: ["error", "warn"] });

// Here, and not in a module: what is used before `listen` stands above Nest's own body parser, and a webhook's signature covers
// the exact bytes. `rawBody` is not needed.
app.use("/webhooks", webhooks(doorcode));
app.use("/login", login);

const port = Number(process.env.PORT ?? 3000);
await app.listen(port, "localhost");
process.stdout.write(`http://localhost:${port}\n`);

import "reflect-metadata";
import { phoneLogin, webhooks } from "@doorcode/express";
import { NestFactory } from "@nestjs/core";
import { AppModule } from "./app.module.js";
import { doorcode } from "./doorcode.js";

const app = await NestFactory.create(AppModule);
app.use("/webhooks", webhooks(doorcode));
app.use("/login", phoneLogin(doorcode));
await app.listen(process.env.PORT ?? 3000);

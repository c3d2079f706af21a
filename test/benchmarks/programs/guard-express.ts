import { phoneLogin, requireLogin } from "@doorcode/express";
import express from "express";
import { serveHttp } from "../measure/program.ts";
import { createGuardKit } from "./guard-kit.ts";

const doorcode = createGuardKit();
const app = express().set("trust proxy", "loopback");
app.use("/login", phoneLogin(doorcode));

if (process.argv[2] === "guarded") {
  app.get("/account", requireLogin(doorcode), (req, res) => void res.json({ id: req.doorcode.userId }));
} else {
  app.get("/account", (_req, res) => void res.json({ id: "user_1" }));
}

serveHttp(app);

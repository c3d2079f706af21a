import { appCodes, createDoorcode, createMemoryStore } from "@doorcode/core";
import { phoneLogin } from "@doorcode/express";
import express from "express";
import { serveHttp } from "../measure/program.ts";
import { origin } from "../measure/visitor.ts";
import { createUsers } from "./people.ts";

const [serviceUrl = "", people = ""] = process.argv.slice(2);
const users = createUsers(Number(people));

const doorcode = createDoorcode({
  origins: [origin],
  store: createMemoryStore(),
  service: { baseUrl: serviceUrl, apiKey: "key_of_the_benchmark" },
  session: { password: "a password of the benchmark, long enough" },
  login: { countries: ["DE"], codes: appCodes(), onLogin: ({ phone }) => users.get(phone) },
});

const app = express().set("trust proxy", "loopback");
app.use("/login", phoneLogin(doorcode));
serveHttp(app);

import { createDoorcode, serviceCodes } from "@doorcode/core";
import { phoneLogin, requireLogin, webhooks } from "@doorcode/express";
import express from "express";

const statuses = [];

const doorcode = createDoorcode({
  service: { baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_API_KEY },
  session: { password: process.env.SESSION_PASSWORD },
  login: { countries: ["DE"], codes: serviceCodes({ template: "login" }), onLogin: ({ phone }) => `user ${phone}` },
  webhooks: {
    secret: process.env.WEBHOOK_SECRET,
    on: { "verification.update": ({ data }) => void statuses.push(data.status) },
  },
});

const app = express();
app.use("/webhooks", webhooks(doorcode));
app.use("/login", phoneLogin(doorcode));
app.get("/account", requireLogin(doorcode), (req, res) => void res.json({ id: req.doorcode.userId, statuses }));
app.listen(process.env.PORT);

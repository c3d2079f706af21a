import { Hono } from "hono";
import { acceptMessages, listMessages } from "../service/accept-messages.ts";
import { confirmVerification } from "../service/confirm-verification.ts";
import type { Service } from "../service/service.ts";
import { startVerification } from "../service/start-verification.ts";
import { confirmationAnswer, messageList, messagesAccepted, verificationAccepted } from "../wire/answers.ts";
import { confirmationRequestShape, messageRequestShape, verificationRequestShape } from "../wire/requests.ts";
import { type ApiEnv, authenticate } from "./authenticate.ts";
import { readJson } from "./read-json.ts";

/** The API of the service. @see "Endpoints" of the specification */
export function createApi(service: Service): Hono<ApiEnv> {
  const { bodyLimitBytes } = service.settings;
  const messageRequest = messageRequestShape(service.settings);
  const verificationRequest = verificationRequestShape(service.settings);

  return new Hono<ApiEnv>()
    .use(authenticate(service.state))
    .get("/messages", (c) => c.json(messageList(listMessages(service, c.var.application))))
    .post("/messages", async (c) => {
      const accepted = acceptMessages(service, c.var.application, await readJson(c, messageRequest, bodyLimitBytes));
      return c.json(messagesAccepted(accepted.requestId, accepted.messages));
    })
    .post("/verifications", async (c) => {
      const request = await readJson(c, verificationRequest, bodyLimitBytes);
      return c.json(verificationAccepted(startVerification(service, c.var.application, request)));
    })
    .post("/verifications/confirmation/:verification_id", async (c) => {
      const { otp_code } = await readJson(c, confirmationRequestShape, bodyLimitBytes);
      const id = c.req.param("verification_id");
      const { status, body } = confirmationAnswer(confirmVerification(service, c.var.application, id, otp_code));
      return c.json(body, status);
    });
}

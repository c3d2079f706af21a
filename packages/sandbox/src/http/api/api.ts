import { type Context, Hono } from "hono";
import type { z } from "zod";
import { acceptMessages, listMessages } from "../../service/accept-messages.ts";
import { confirmVerification } from "../../service/confirm-verification.ts";
import { startVerification } from "../../service/start-verification.ts";
import { type Application, defaultApplicationId } from "../../state/application.ts";
import {
  confirmationAnswer,
  messageList,
  messagesAccepted,
  verificationAccepted,
  type WireAnswer,
} from "../../wire/answers.ts";
import { defaultDialect } from "../../wire/dialect.ts";
import { wireRefusal } from "../../wire/refusals.ts";
import { confirmationRequestShape, requestShapes } from "../../wire/requests.ts";
import type { AppParts } from "../app-parts.ts";
import { ConnectionCut } from "../connection-cut.ts";
import { readJson } from "../read-json.ts";
import { refusalOf } from "../refuse.ts";
import { applyRequestFaults } from "./apply-request-faults.ts";
import { type ApiEnv, authenticate, stillThere } from "./authenticate.ts";
import { limitRate } from "./limit-rate.ts";

/** The API of the service. @see "Endpoints" of the specification */
export function createApi({ service, closed }: AppParts): Hono<ApiEnv> {
  const api = new Hono<ApiEnv>();
  // A key that is wrong names no application: then the default one's dialect speaks.
  const dialectOf = (id = defaultApplicationId) => service.state.applications.get(id)?.dialect ?? defaultDialect;

  api.onError((error, c) => {
    if (error instanceof ConnectionCut) throw error;
    const { status, contentType, body } = wireRefusal(dialectOf(c.var.application?.id), refusalOf(error));
    // What was set on the way, such as Retry-After, stays.
    const headers = new Headers(c.res.headers);
    if (contentType) headers.set("content-type", contentType);
    return new Response(body, { status, headers });
  });
  const read = async <Body>(c: Context<ApiEnv>, shapeFor: (application: Application) => z.ZodType<Body>) => {
    const found = c.var.application;
    const request = await readJson(c, shapeFor(found), found.settings.bodyLimitBytes);
    // A body takes its time, and so does a fault: the application may be another by now, or gone.
    return { request, application: stillThere(service.state, found) };
  };
  return api
    .use(authenticate(service.state), limitRate(service), applyRequestFaults(service, closed))
    .get("/messages", ({ var: { application } }) =>
      answer(messageList(application, listMessages(service, application))),
    )
    .post("/messages", async (c) => {
      const { application, request } = await read(c, (found) => requestShapes(found).messages);
      const { requestId, messages } = acceptMessages(service, application, request);
      return answer(messagesAccepted(requestId, messages));
    })
    .post("/verifications", async (c) => {
      const { application, request } = await read(c, (found) => requestShapes(found).verifications);
      return answer(verificationAccepted(application, startVerification(service, application, request)));
    })
    .post("/verifications/confirmation/:verification_id", async (c) => {
      const { application, request } = await read(c, () => confirmationRequestShape);
      const outcome = confirmVerification(service, application, c.req.param("verification_id"), request.otp_code);
      return answer(confirmationAnswer(application, outcome));
    });
}

function answer({ status, body }: WireAnswer): Response {
  return body === undefined ? new Response(null, { status }) : Response.json(body, { status });
}

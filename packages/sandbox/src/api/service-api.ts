import { type Context, Hono } from "hono";
import type { z } from "zod";
import { parseJson, requireJson } from "../http/read-request.ts";
import { ConnectionCut, refusalOf } from "../http/refuse.ts";
import { acceptMessages, listMessages } from "../service/messages.ts";
import type { Service } from "../service/service.ts";
import { confirmVerification, startVerification } from "../service/verifications.ts";
import { type Application, defaultApplicationId } from "../state/application.ts";
import { defaultDialect } from "../state/dialect.ts";
import {
  confirmationAnswer,
  messageList,
  messagesAccepted,
  verificationAccepted,
  type WireAnswer,
  wireRefusal,
} from "../wire/answers.ts";
import { confirmationRequestShape, requestShapes } from "../wire/requests.ts";
import { type ApiEnv, authenticate, currentApplication, limitRate, readApiBody } from "./api-request.ts";
import { applyRequestFaults } from "./request-faults.ts";

/** Creates the API of the service. @see "Endpoints" of the specification */
export function createServiceApi(service: Service, closed: AbortSignal): Hono<ApiEnv> {
  const api = new Hono<ApiEnv>();
  api.onError((error, c) => refuseInDialect(service, error, c));
  return api
    .use(authenticate(service.state), limitRate(service), applyRequestFaults(service, closed))
    .get("/messages", ({ var: { application } }) =>
      answer(messageList(application, listMessages(service, application))),
    )
    .post("/messages", async (c) => {
      const { application, request } = await readRequest(service, c, (found) => requestShapes(found).messages);
      const { requestId, messages } = acceptMessages(service, application, request);
      return answer(messagesAccepted(requestId, messages));
    })
    .post("/verifications", async (c) => {
      const { application, request } = await readRequest(service, c, (found) => requestShapes(found).verifications);
      return answer(verificationAccepted(application, startVerification(service, application, request)));
    })
    .post("/verifications/confirmation/:verification_id", async (c) => {
      const { application, request } = await readRequest(service, c, () => confirmationRequestShape);
      const outcome = confirmVerification(service, application, c.req.param("verification_id"), request.otp_code);
      return answer(confirmationAnswer(application, outcome));
    });
}

async function readRequest<Body>(
  service: Service,
  c: Context<ApiEnv>,
  shapeFor: (application: Application) => z.ZodType<Body>,
) {
  const found = c.var.application;
  requireJson(c);
  const request = parseJson(await readApiBody(c), shapeFor(found));
  // Reading a body and a fault take time. The application may have been changed or removed meanwhile.
  return { request, application: currentApplication(service.state, found) };
}

/** An invalid key belongs to no application. It is refused in the dialect of the default application. */
function refuseInDialect({ state }: Service, error: unknown, c: Context<ApiEnv>): Response {
  if (error instanceof ConnectionCut) throw error;
  const application = state.applications.get(c.var.application?.id ?? defaultApplicationId);
  const { status, contentType, body } = wireRefusal(application?.dialect ?? defaultDialect, refusalOf(error));
  // Keeps the headers that a middleware has set, such as Retry-After.
  const headers = new Headers(c.res.headers);
  if (contentType) headers.set("content-type", contentType);
  return new Response(body, { status, headers });
}

function answer({ status, body }: WireAnswer): Response {
  return body === undefined ? new Response(null, { status }) : Response.json(body, { status });
}

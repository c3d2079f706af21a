import { SandboxError } from "../primitives/sandbox-error.ts";
import { findApplication, type Service } from "../service/service.ts";
import type { Application, WebhookEndpoint } from "../state/application.ts";

/** An endpoint and the application that it belongs to. */
export interface FoundEndpoint {
  /** The application. */
  readonly application: Application;
  /** The endpoint. */
  readonly endpoint: WebhookEndpoint;
}

/** Finds an endpoint of an application. @throws SandboxError `endpoint_unknown` */
export function findEndpoint(service: Service, applicationId: string, id: string): FoundEndpoint {
  const application = findApplication(service, applicationId);
  const endpoint = application.endpoints.find((candidate) => candidate.id === id);
  if (endpoint) return { application, endpoint };
  throw new SandboxError("endpoint_unknown", "There is no such endpoint.");
}

import type { Service } from "../service/service.ts";
import type { Publisher } from "../webhook/publisher.ts";
import type { Transport } from "../webhook/transport.ts";
import type { Configuration } from "./applications.ts";

/** The parts of a running sandbox. The functions of this folder work with them. */
export interface SandboxDeps extends Service {
  /** Makes attempts of deliveries. */
  readonly publisher: Publisher;
  /** Registers handlers in this process as webhook endpoints. */
  readonly transport: Transport;
  /** Whether a webhook endpoint may be on another machine. */
  readonly allowRemoteWebhooks: boolean;
  /** The session password in the environment of every application. */
  readonly sessionPassword: string;
  /** The configuration of every new application, before its own. */
  readonly defaults: Configuration;
  /** Aborted when the sandbox closes. */
  readonly closed: AbortSignal;
}

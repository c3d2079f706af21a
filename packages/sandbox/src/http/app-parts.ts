import type { SandboxAccount } from "../controls/account.ts";
import type { SandboxApplication } from "../controls/application.ts";
import type { Configuration } from "../portal/configuration.ts";
import type { Service } from "../service/service.ts";

/** What the routes stand on. */
export interface AppParts {
  readonly service: Service;
  readonly account: SandboxAccount;
  /** Opens an application that is there. */
  readonly open: (applicationId: string) => SandboxApplication;
  /** Adds an application and answers its id. */
  readonly create: (configuration: Configuration) => string;
  /** Names that may stand in the Host header beside those of this machine. */
  readonly allowedHosts: readonly string[];
  /** Ends streams and waits. */
  readonly closed: AbortSignal;
}

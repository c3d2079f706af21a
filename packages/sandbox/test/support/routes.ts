import { createAccount } from "../../src/controls/account.ts";
import { openApplication } from "../../src/controls/application.ts";
import { createApp } from "../../src/http/app.ts";
import { parseOptions } from "../../src/options.ts";
import { startService } from "../../src/start-service.ts";

/** A route as it was registered: `/_sandbox/inbox/:message`. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

/** Lists every route that the sandbox answers, as its router knows them, so that no test forgets one. */
export async function listRoutes(): Promise<readonly Route[]> {
  const { stop, ...running } = await startService(parseOptions({ port: "none", clock: "frozen" }));
  const { service, closed } = running;
  const app = createApp({
    service,
    account: createAccount(service),
    open: (id) => openApplication({ ...running, allowRemoteWebhooks: false, url: () => "" }, id),
    create: () => "",
    allowedHosts: [],
    closed,
  });
  stop();
  return app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => ({ method, path }));
}

/** A path of the route: ids in it name nothing, but for the application, which is the default one. */
export function pathOf({ path }: Route, application = "default"): string {
  return path.replace(":application", application).replaceAll(/:\w+/g, "unknown");
}

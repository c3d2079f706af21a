import { createHttpApp } from "../../src/start/http-app.ts";
import { parseOptions } from "../../src/start/options.ts";
import { startService } from "../../src/start/start-service.ts";

/** A route of the router, such as `/_sandbox/inbox/:message`. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

/** Lists all routes of the sandbox as its router knows them, so that no test can forget one. */
export async function listRoutes(): Promise<readonly Route[]> {
  const { deps, stop } = await startService(parseOptions({ port: "none", clock: "frozen" }));
  const app = createHttpApp(deps, { host: "127.0.0.1", allowedHosts: [], token: undefined });
  stop();
  return app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => ({ method, path }));
}

/** Returns a path of the route. Its ids are unknown, except for the application, which is the default one. */
export function pathOf({ path }: Route, application = "default"): string {
  return path.replace(":application", application).replaceAll(/:\w+/g, "unknown");
}

import type { AppContext } from "../app-context.ts";
import type { MountPaths } from "../free-path.ts";
import type { KitFileOptions } from "../kit-file.ts";
import { pageImport, pageOptions } from "../mount-lines.ts";

/** Writes the routes of the kit for Hono, which the app mounts as a whole. */
export function honoRoutes(
  { manifest }: AppContext,
  { login, webhooks }: MountPaths,
  hasPage: boolean,
): NonNullable<KitFileOptions["more"]> {
  const onNode = manifest.dependencies["@hono/node-server"] !== undefined;
  const options = [`basePath: "${login}"`, ...pageOptions(login, hasPage)].join(", ");
  return {
    imports: [
      ...(hasPage ? [pageImport] : []),
      ...["phoneLogin", "webhooks"].map((name) => ({ from: "@doorcode/fetch", name })),
      ...(onNode ? [{ from: "@hono/node-server/conninfo", name: "getConnInfo" }] : []),
      { from: "hono", name: "Hono" },
    ],
    exports: ["doorcodeRoutes"],
    code: `const login = phoneLogin(doorcode, { ${options} });
const deliver = webhooks(doorcode, { basePath: "${webhooks}" });

/** The endpoints of the login and of the webhooks. */
export const doorcodeRoutes = new Hono();
doorcodeRoutes.post("${webhooks}", async (c) => (await deliver(c.req.raw)) ?? c.notFound());
doorcodeRoutes.all("${login}/*", async (c) => {
  // Limits are counted by the client's address. Behind a proxy, take the header that the proxy sets.
  const remoteAddress = ${onNode ? "getConnInfo(c).remote.address" : 'c.req.header("x-forwarded-for")?.split(",").at(-1)'};
  const answer = await login(c.req.raw, { remoteAddress });
  return answer ? c.newResponse(answer.body, answer) : c.notFound();
});
`,
  };
}

import { getSession, phoneLogin, requireLogin, webhooks } from "@doorcode/core/fetch";
import { doorcode, type Same, type User } from "./kit.ts";

const login = phoneLogin(doorcode, { basePath: "/login" });
const admit = requireLogin(doorcode);

export const POST: (request: Request) => Promise<Response | undefined> = webhooks(doorcode, { basePath: "/webhooks" });

export async function serve(request: Request): Promise<Response> {
  // The address is a required argument, because limits are counted by it.
  // @ts-expect-error an address, or a plain `undefined`, must be given
  await login(request, {});
  const answer = await login(request, { remoteAddress: undefined });
  if (answer) return answer;

  // The user of `loadUser` reaches the route through Register, without an annotation.
  const admission = await admit(request);
  if ("response" in admission) return admission.response;
  const isUser: Same<typeof admission.session.user, User> = true;
  const name = (await getSession(doorcode, request))?.user.name;
  const { status } = await login.state(request);
  return Response.json({ isUser, name, status });
}

// A mount has to know where it begins.
// @ts-expect-error basePath is missing
webhooks(doorcode, {});

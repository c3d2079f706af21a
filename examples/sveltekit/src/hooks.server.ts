import { getSession } from "@doorcode/fetch";
import type { Handle } from "@sveltejs/kit";
import { doorcode } from "#lib/doorcode.server.ts";

export const handle: Handle = async ({ event, resolve }) => {
  event.locals.session = await getSession(doorcode, event.request);
  return resolve(event);
};

import { getSession, phoneLogin, requireLogin, webhooks } from "@doorcode/fetch";
import { doorcode, type Same, type User } from "./kit.ts";

const login = phoneLogin(doorcode, { basePath: "/login" });
const guard = requireLogin(doorcode);

export const POST: (request: Request) => Promise<Response | undefined> = webhooks(doorcode, { basePath: "/webhooks" });

export async function serve(request: Request): Promise<Response> {
  // The address is a required argument, because limits are counted by it.
  // @ts-expect-error an address, or a plain `undefined`, must be given
  await login(request, {});
  const answer = await login(request, { remoteAddress: undefined });
  if (answer) return answer;

  // The user of `loadUser` reaches the route through Register, without an annotation.
  const result = await guard(request);
  if ("response" in result) return result.response;
  const isUser: Same<typeof result.session.user, User> = true;
  const name = (await getSession(doorcode, request))?.user.name;
  const { status } = await login.state(request);
  return Response.json({ isUser, name, status });
}

// A mount has to know where it begins.
// @ts-expect-error basePath is missing
webhooks(doorcode, {});

/** An event as SvelteKit passes it. */
interface Event {
  readonly request: Request;
  getClientAddress(): string;
  readonly platform?: { readonly context?: { waitUntil(work: Promise<unknown>): void } };
}
type Fetch<Call extends readonly unknown[]> = (...call: Call) => Promise<Response>;
declare function after<Result>(task: Promise<Result> | (() => Result)): void;

// Next.js calls with a request. Its type needs no annotation, and `after` fits as it is.
export const ofNext: { readonly GET: Fetch<[Request]>; readonly POST: Fetch<[Request]> } = phoneLogin(doorcode, {
  basePath: "/login",
  remoteAddress: ({ headers }) => headers.get("x-real-ip"),
  waitUntil: after,
}).handlers;

// The check of `next build` refuses a handler that takes more than a request.
const ofWebhooks = webhooks(doorcode, { basePath: "/webhooks", waitUntil: after }).handlers;
const ofOneAddress = phoneLogin(doorcode, { basePath: "/login", remoteAddress: () => undefined }).handlers;
export const takesRequests: Same<
  Parameters<typeof ofWebhooks.POST | typeof ofOneAddress.GET>,
  [request: Request]
> = true;
/** The first argument of a handler, as the check of `next build` infers it. */
type FirstArgument<Handler> = Handler extends (...call: [infer First, never]) => unknown ? First : never;
export const firstIsRequest: Same<FirstArgument<typeof ofOneAddress.POST>, Request> = true;

// SvelteKit calls with an event, which one annotation names for both functions.
export const ofSvelteKit: { readonly POST: Fetch<[Event]> } = phoneLogin(doorcode, {
  basePath: "/login",
  remoteAddress: (event: Event) => event.getClientAddress(),
  waitUntil: (work, event) => event.platform?.context?.waitUntil(work),
}).handlers;

/** The type of a route that a host gives its apps: `RequestHandler` of SvelteKit, `APIRoute` of Astro. */
type Route<Given> = (given: Given) => Response | Promise<Response>;
/** A context as Astro passes it. */
interface Context {
  readonly request: Request;
  readonly clientAddress: string;
}

// A handler that reads nothing of its call is one of every host, also where the app annotates it with the host's own type.
export const annotated: Readonly<Record<string, Route<Event> & Route<Context>>> = {
  webhooks: webhooks(doorcode, { basePath: "/webhooks" }).handlers.POST,
  webhooksWithWork: webhooks(doorcode, { basePath: "/webhooks", waitUntil: (work) => void work }).handlers.POST,
  loginWithoutAddress: phoneLogin(doorcode, { basePath: "/login", remoteAddress: () => undefined }).handlers.GET,
};
const ofAstro = phoneLogin(doorcode, {
  basePath: "/login",
  remoteAddress: (context: Context) => context.clientAddress,
});
export const annotatedLogin: Route<Context> = ofAstro.handlers.POST;
// A handler that reads the headers of a request would find none in an event.
const ofHeader = phoneLogin(doorcode, { basePath: "/login", remoteAddress: ({ headers }) => headers.get("x-real-ip") });
// @ts-expect-error an event is no request
export const annotatedWrongly: Route<Event> = ofHeader.handlers.GET;
// @ts-expect-error an event is no request
export const annotatedWronglyToo: Route<Event> = webhooks(doorcode, {
  basePath: "/webhooks",
  waitUntil: (_work, request: Request) => request.headers,
}).handlers.POST;

// Bun calls with its server, too.
export const ofBun: { readonly POST: Fetch<[Request, { requestIP(request: Request): { address: string } | null }]> } =
  phoneLogin(doorcode, {
    basePath: "/login",
    remoteAddress: (request: Request, server: { requestIP(request: Request): { address: string } | null }) =>
      server.requestIP(request)?.address,
  }).handlers;

// A handler gets what its address is read from.
// @ts-expect-error a request is no event
ofSvelteKit.POST(new Request("http://localhost/login/start"));

/** A server component has the headers of its request. */
export const ofHeaders = (headers: Headers) =>
  Promise.all([getSession(doorcode, { headers }), login.state({ headers })]);

import { Hono } from "hono";
import { envLines } from "../../credentials.ts";
import { parse } from "../../misuse.ts";
import { address } from "../../page/address.ts";
import { configurationShape } from "../../portal/configuration.ts";
import { type EventName, eventNames } from "../../state/application.ts";
import { createActs, goOn, type PageActResult, type PageActs } from "./act.ts";
import type { PageDesk } from "./desk.ts";
import { type PageForm, readForm } from "./form.ts";

/** What the portal does with applications, their credentials and their endpoints. */
export function createPageApplicationActs(desk: PageDesk): Hono {
  return new Hono()
    .post("/applications", (c) => goOn(c, desk, async () => createdApplication(desk, await readForm(c))))
    .route("/", createActs(desk, acts));
}

const secretOnce = "Keep the signing secret now: it is not shown again.";

function createdApplication(desk: PageDesk, form: PageForm): PageActResult {
  const configuration = parse("applications", configurationShape, { name: form.text("name") ?? "" });
  const { id, env } = desk.parts.open(desk.parts.create(configuration));
  return { to: address(id, "portal"), notice: { kind: "secret", text: secretOnce, secret: envLines(env) } };
}

const acts: PageActs = {
  staying: {
    name: ({ application, form }) =>
      application.configure(parse("name", configurationShape, { name: form.text("name") ?? "" })),
    "key/revoke": ({ application }) => application.revokeApiKey(),
    reset: ({ application }) => application.reset(),
    endpoints: ({ application, form }) =>
      application.endpoints.add({ target: form.text("url") ?? "", events: eventsIn(form) }),
    "endpoints/:endpoint/events": ({ application, form, part }) =>
      application.endpoints.chooseEvents(part("endpoint"), eventsIn(form)),
    "endpoints/:endpoint/enable": ({ application, part }) => application.endpoints.enable(part("endpoint")),
    "endpoints/:endpoint/remove": ({ application, part }) => application.endpoints.remove(part("endpoint")),
  },
  leading: {
    "key/rotate": ({ application }) => {
      application.rotateApiKey();
      return { notice: { kind: "done", text: "The API key was rotated: the old one opens nothing any more." } };
    },
    "secret/regenerate": ({ application }) => {
      const secret = application.regenerateSigningSecret();
      const text = `${secretOnce} It signs for all endpoints of this application and every callback_url, from now on.`;
      return { notice: { kind: "secret", text, secret } };
    },
    remove: ({ application }) => {
      application.remove();
      return { to: "/" };
    },
  },
};

function eventsIn(form: PageForm): readonly EventName[] {
  return eventNames.filter((name) => form.all("events").includes(name));
}

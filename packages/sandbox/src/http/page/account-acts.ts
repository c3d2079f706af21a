import type { Hono } from "hono";
import { parse } from "../../misuse.ts";
import { numberShape } from "../../portal/account.ts";
import { createActs } from "./act.ts";
import type { PageDesk } from "./desk.ts";

/** What the portal does with the sender IDs and the rented numbers of the account. */
export function createPageAccountActs(desk: PageDesk): Hono {
  const { account } = desk.parts;
  return createActs(desk, {
    staying: {
      senders: ({ form }) => account.registerSender(form.text("name") ?? ""),
      "senders/remove": ({ form }) => account.removeSender(form.text("name") ?? ""),
      numbers: ({ application, form }) => {
        const number = {
          phone: form.text("phone"),
          applicationId: application.id,
          kind: form.text("kind"),
          capabilities: form.all("capabilities"),
          routing: form.text("routing"),
        };
        account.rentNumber(parse("numbers", numberShape, number));
      },
      "numbers/remove": ({ form }) => account.releaseNumber(form.text("phone") ?? ""),
    },
  });
}

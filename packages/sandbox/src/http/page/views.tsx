import { type Context, Hono } from "hono";
import type { ThreadName } from "../../page/address.ts";
import { ClockPage } from "../../page/clock/clock-page.tsx";
import { Empty } from "../../page/controls/card.tsx";
import type { SectionName } from "../../page/frame/frame.ts";
import { Inbox } from "../../page/inbox/inbox.tsx";
import { inboxView } from "../../page/inbox/inbox-view.ts";
import { pageOf } from "../../page/paging.ts";
import { VerificationList } from "../../page/verifications/verification-list.tsx";
import { VerificationPage } from "../../page/verifications/verification-page.tsx";
import { verificationsView, verificationView } from "../../page/verifications/verification-view.ts";
import { DeliveryList } from "../../page/webhooks/delivery-list.tsx";
import { DeliveryPage } from "../../page/webhooks/delivery-page.tsx";
import { deliveryView, webhooksView } from "../../page/webhooks/webhooks-view.ts";
import { findApplication } from "../../portal/applications.ts";
import { defaultApplicationId } from "../../state/application.ts";
import { answerPage } from "./answer.tsx";
import type { PageDesk } from "./desk.ts";
import { envShown, firstCommand } from "./environment.ts";
import { clockFaceOf } from "./frame.ts";

const firingsShown = 30;

/** The views of the page, but for the portal. */
export function createPageViews(desk: PageDesk): Hono {
  const path = "/applications/:application";
  return new Hono()
    .get("/", (c) => answerInbox(c, desk, defaultApplicationId))
    .get(path, (c) => answerInbox(c, desk, desk.find(c).id))
    .get(`${path}/inbox/:to/:channel`, (c) => {
      const { to, channel } = c.req.param();
      return answerInbox(c, desk, desk.find(c).id, { to, channel });
    })
    .get(`${path}/verifications`, (c) => answerVerifications(c, desk))
    .get(`${path}/verifications/:verification`, (c) => answerVerification(c, desk, c.req.param("verification")))
    .get(`${path}/webhooks`, (c) => answerWebhooks(c, desk))
    .get(`${path}/webhooks/:delivery`, (c) => answerDelivery(c, desk, c.req.param("delivery")))
    .get(`${path}/clock`, (c) => answerClock(c, desk));
}

function answerInbox(c: Context, desk: PageDesk, applicationId: string, thread?: ThreadName) {
  const { service } = desk.parts;
  const { q = "", channel = "", threads, before } = c.req.query();
  const query = { search: q.trim(), channel, thread, threadsBefore: threads, before };
  const view = inboxView({ state: service.state, index: desk.index }, applicationId, query);
  const { origin } = new URL(c.req.url);
  const application = findApplication(service, applicationId);
  const start = { env: envShown(origin, application), curl: firstCommand(origin, application) };
  const children = <Inbox view={view} now={service.agenda.now(applicationId)} start={start} />;
  return answerPage(c, desk, { applicationId, section: "inbox", title: thread?.to ?? "Inbox", children });
}

function answerVerifications(c: Context, desk: PageDesk) {
  const { state, agenda } = desk.parts.service;
  const applicationId = desk.find(c).id;
  const { q = "", before } = c.req.query();
  const view = verificationsView(state, applicationId, { search: q.trim(), before });
  const { settings } = findApplication(desk.parts.service, applicationId);
  const children = (
    <VerificationList view={view} now={agenda.now(applicationId)} attemptsLimit={settings.confirmationAttempts} />
  );
  return answerPage(c, desk, { applicationId, section: "verifications", title: "Verifications", children });
}

function answerVerification(c: Context, desk: PageDesk, id: string) {
  const { state, agenda } = desk.parts.service;
  const applicationId = desk.find(c).id;
  const view = verificationView(state, applicationId, id);
  if (!view) return answerMissing(c, desk, "verifications", "There is no such verification any more.");
  const { settings } = findApplication(desk.parts.service, applicationId);
  const children = (
    <VerificationPage view={view} now={agenda.now(applicationId)} attemptsLimit={settings.confirmationAttempts} />
  );
  return answerPage(c, desk, { applicationId, section: "verifications", title: view.verification.recipient, children });
}

function answerWebhooks(c: Context, desk: PageDesk) {
  const { state, agenda } = desk.parts.service;
  const applicationId = desk.find(c).id;
  const { q = "", status = "", before } = c.req.query();
  const view = webhooksView(state, applicationId, { search: q.trim(), status, before });
  const children = <DeliveryList view={view} now={agenda.now(applicationId)} />;
  return answerPage(c, desk, { applicationId, section: "webhooks", title: "Webhooks", children });
}

function answerDelivery(c: Context, desk: PageDesk, id: string) {
  const { state, agenda } = desk.parts.service;
  const applicationId = desk.find(c).id;
  const view = deliveryView(state, applicationId, id);
  if (!view) return answerMissing(c, desk, "webhooks", "There is no such delivery any more.");
  const children = <DeliveryPage view={view} now={agenda.now(applicationId)} />;
  return answerPage(c, desk, { applicationId, section: "webhooks", title: view.delivery.told, children });
}

function answerClock(c: Context, desk: PageDesk) {
  const { service } = desk.parts;
  const { id, faults } = desk.find(c);
  const firings = pageOf(
    () => service.state.firings.newestFirst(id),
    (firing) => firing.id,
    firingsShown,
    undefined,
  );
  const children = (
    <ClockPage applicationId={id} clock={clockFaceOf(service, id)} faults={faults.list()} firings={firings.items} />
  );
  return answerPage(c, desk, { applicationId: id, section: "clock", title: "Clock & faults", children });
}

function answerMissing(c: Context, desk: PageDesk, section: SectionName, sentence: string) {
  const children = <Empty>{sentence}</Empty>;
  return answerPage(c, desk, { applicationId: desk.find(c).id, section, title: "Not found", children, status: 404 });
}

import { type Context, Hono } from "hono";
import { AccountTab } from "../../page/portal/account-tab.tsx";
import { ApplicationTab } from "../../page/portal/application-tab.tsx";
import { DialectTab } from "../../page/portal/dialect-tab.tsx";
import { EndpointsTab } from "../../page/portal/endpoints-tab.tsx";
import { MessagingTab } from "../../page/portal/messaging-tab.tsx";
import { NumbersTab } from "../../page/portal/numbers-tab.tsx";
import { Portal, type PortalTab, portalTabs } from "../../page/portal/portal.tsx";
import { UsageTab } from "../../page/portal/usage-tab.tsx";
import { findApplication } from "../../portal/applications.ts";
import { usageOf } from "../../portal/usage.ts";
import { Refusal } from "../../refusal.ts";
import { behaviourRanges } from "../../service/handset.ts";
import { accountId } from "../../state/account.ts";
import { defaultApplicationId } from "../../state/application.ts";
import { answerPage } from "./answer.tsx";
import type { PageDesk } from "./desk.ts";
import { envShown } from "./environment.ts";

/** The portal of an application, tab by tab. */
export function createPagePortal(desk: PageDesk): Hono {
  return new Hono()
    .get("/applications/:application/portal", (c) => answerTab(c, desk, "application"))
    .get("/applications/:application/portal/:tab", (c) => {
      const tab = portalTabs.find(([name]) => name === c.req.param("tab"))?.[0];
      if (tab === undefined) throw new Refusal("request.not_found", "There is nothing here.");
      return answerTab(c, desk, tab);
    });
}

function answerTab(c: Context, desk: PageDesk, tab: PortalTab) {
  const applicationId = desk.find(c).id;
  const children = (
    <Portal applicationId={applicationId} tab={tab}>
      {tabOf(c, desk, applicationId, tab)}
    </Portal>
  );
  const title = portalTabs.find(([name]) => name === tab)?.[1] ?? "Portal";
  return answerPage(c, desk, { applicationId, section: "portal", title, children });
}

function tabOf(c: Context, desk: PageDesk, applicationId: string, tab: PortalTab) {
  const { service, account } = desk.parts;
  const application = findApplication(service, applicationId);
  const applications = service.state.applications.list(accountId);
  const now = service.agenda.now(applicationId);
  switch (tab) {
    case "application": {
      const env = envShown(new URL(c.req.url).origin, application);
      return <ApplicationTab application={application} env={env} removable={applicationId !== defaultApplicationId} />;
    }
    case "endpoints":
      return <EndpointsTab application={application} now={now} />;
    case "messaging":
      return <MessagingTab application={application} account={account.get()} applications={applications} now={now} />;
    case "numbers":
      return <NumbersTab application={application} ranges={behaviourRanges} />;
    case "dialect":
      return <DialectTab application={application} />;
    case "usage":
      return <UsageTab usage={usageOf(service, applicationId)} />;
    case "account": {
      const mails = account.mails().toReversed();
      return (
        <AccountTab
          applicationId={applicationId}
          account={account.get()}
          applications={applications}
          mails={mails}
          now={now}
        />
      );
    }
  }
}

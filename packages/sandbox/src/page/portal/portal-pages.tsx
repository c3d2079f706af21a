import { type Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { applicationOf } from "../../http/read-request.ts";
import { Refusal } from "../../primitives/errors.ts";
import { listMails } from "../../sandbox/account.ts";
import { listApplications } from "../../sandbox/applications.ts";
import { usageOf } from "../../sandbox/usage.ts";
import { accountOf } from "../../service/service.ts";
import { behaviourRanges } from "../../service/simulated-phone.ts";
import type { Application } from "../../state/application.ts";
import { applicationPath } from "../components/paths.ts";
import { createFormRoutes, ofApplication } from "../request/form-handler.ts";
import type { PageContext } from "../request/render-page.tsx";
import { renderPage } from "../request/render-page.tsx";
import { AccountTab } from "./account.tsx";
import { ApplicationCard, ApplicationsCard, applicationForms, applicationsForms, EndCard } from "./applications.tsx";
import { BehaviourRangesCard, BehavioursCard, behaviourForms } from "./behaviours.tsx";
import { CredentialsCard, credentialForms, EnvironmentCard, environmentText } from "./credentials.tsx";
import { DialectCard, dialectForms } from "./dialect.tsx";
import { EndpointsCard, endpointForms } from "./endpoints.tsx";
import { FixedCodesCard, fixedCodeForms } from "./fixed-codes.tsx";
import { RentedNumbersCard, rentedNumberForms } from "./rented-numbers.tsx";
import { SendersCard, senderForms } from "./senders.tsx";
import { SettingsCard, settingForms } from "./settings.tsx";
import { TemplatesCard, templateForms } from "./templates.tsx";
import { UsageCard } from "./usage.tsx";
import { UsersCard, userForms } from "./users.tsx";

const forms = [
  applicationForms,
  applicationsForms,
  behaviourForms,
  credentialForms,
  dialectForms,
  endpointForms,
  fixedCodeForms,
  rentedNumberForms,
  senderForms,
  settingForms,
  templateForms,
  userForms,
];

const tabs = [
  ["application", "Application"],
  ["endpoints", "Webhook endpoints"],
  ["messaging", "Senders & templates"],
  ["numbers", "Test numbers"],
  ["dialect", "Dialect & settings"],
  ["usage", "Usage"],
  ["account", "Account"],
] as const;

type Tab = (typeof tabs)[number][0];

/** Creates the pages of an application's portal, one for each tab, with the forms of all cards. */
export function createPortalPages(context: PageContext): Hono {
  const routes = new Hono()
    .get(`${ofApplication}/portal`, (c) => renderTab(c, context, "application"))
    .get(`${ofApplication}/portal/:tab`, (c) => {
      const tab = tabs.find(([name]) => name === c.req.param("tab"))?.[0];
      if (tab === undefined) throw new Refusal("request.not_found", "There is nothing here.");
      return renderTab(c, context, tab);
    });
  for (const each of forms) routes.route("/", createFormRoutes(context, each));
  return routes;
}

function renderTab(c: Context, context: PageContext, tab: Tab) {
  const application = applicationOf(context.deps, c);
  const children = (
    <>
      <div class="view-head">
        <h1>Portal</h1>
      </div>
      <nav class="tabs" aria-label="Portal">
        {tabs.map(([name, label]) => (
          <a href={tabPath(application.id, name)} aria-current={name === tab ? "page" : undefined} id={`tab-${name}`}>
            {label}
          </a>
        ))}
      </nav>
      {tabContent(c, context, application, tab)}
    </>
  );
  const title = tabs.find(([name]) => name === tab)?.[1] ?? "Portal";
  return renderPage(c, context, { applicationId: application.id, section: "portal", title, children });
}

function tabPath(applicationId: string, tab: Tab): string {
  return tab === "application"
    ? applicationPath(applicationId, "portal")
    : applicationPath(applicationId, "portal", tab);
}

function tabContent(c: Context, { deps }: PageContext, application: Application, tab: Tab): Child {
  const { id } = application;
  const now = deps.scheduler.now(id);
  switch (tab) {
    case "application":
      return (
        <>
          <ApplicationCard application={application} />
          <CredentialsCard application={application} />
          <EnvironmentCard id={id} env={environmentText(deps, new URL(c.req.url).origin, application)} />
          <UsersCard application={application} />
          <EndCard id={id} />
        </>
      );
    case "endpoints":
      return <EndpointsCard application={application} now={now} />;
    case "messaging": {
      const { senders, numbers } = accountOf(deps);
      return (
        <>
          <TemplatesCard application={application} />
          <SendersCard applicationId={id} senders={senders} now={now} />
          <RentedNumbersCard applicationId={id} numbers={numbers} applications={listApplications(deps)} />
        </>
      );
    }
    case "numbers":
      return (
        <>
          <FixedCodesCard application={application} />
          <BehavioursCard application={application} />
          <BehaviourRangesCard ranges={behaviourRanges} />
        </>
      );
    case "dialect":
      return (
        <>
          <DialectCard application={application} />
          <SettingsCard application={application} />
        </>
      );
    case "usage":
      return <UsageCard usage={usageOf(deps, id)} />;
    case "account":
      return (
        <>
          <ApplicationsCard applicationId={id} applications={listApplications(deps)} />
          <AccountTab account={accountOf(deps)} mails={listMails(deps).toReversed()} now={now} />
        </>
      );
  }
}

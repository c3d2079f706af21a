import type { Html } from "@doorcode/operations/page-parts";
import { Refusal } from "../../primitives/errors.ts";
import { applicationPath } from "../components/paths.ts";
import type { PageRequest, PageSection, PageView } from "../request/page-request.tsx";
import { AccountCard, AnnouncedProductsCard, MailsCard, MoneyCards } from "./account.tsx";
import { ApplicationCard, ApplicationsCard, applicationForms, EndCard } from "./applications.tsx";
import { CredentialsCard, credentialForms, EnvironmentCard } from "./credentials.tsx";
import { DialectCard, dialectForms } from "./dialect.tsx";
import { EndpointsCard, endpointForms } from "./endpoints.tsx";
import { RentedNumbersCard, rentedNumberForms } from "./rented-numbers.tsx";
import { SendersCard, senderForms } from "./senders.tsx";
import { SettingsCard, settingForms } from "./settings.tsx";
import { TemplatesCard, templateForms } from "./templates.tsx";
import { BehaviourRangesCard, BehavioursCard, FixedCodesCard, testNumberForms } from "./test-numbers.tsx";
import { UsageCard } from "./usage.tsx";
import { UsersCard, userForms } from "./users.tsx";

/** A tab of the portal: its name, its label and its cards. */
type Tab = readonly [name: string, label: string, cards: readonly ((request: PageRequest) => Html)[]];

/** The tab that the path of the portal shows. */
const firstTab = "application";

const tabs: readonly Tab[] = [
  [firstTab, "Application", [ApplicationCard, CredentialsCard, EnvironmentCard, UsersCard, EndCard]],
  ["endpoints", "Webhook endpoints", [EndpointsCard]],
  ["messaging", "Senders & templates", [TemplatesCard, SendersCard, RentedNumbersCard]],
  ["numbers", "Test numbers", [FixedCodesCard, BehavioursCard, BehaviourRangesCard]],
  ["dialect", "Dialect & settings", [DialectCard, SettingsCard]],
  ["usage", "Usage", [UsageCard]],
  ["account", "Account", [ApplicationsCard, AccountCard, MailsCard, MoneyCards, AnnouncedProductsCard]],
];

/** The portal: one view for each tab, with the forms of all cards. */
export const portalSection: PageSection = {
  name: "portal",
  views: { "/portal": tabView, "/portal/:tab": tabView },
  forms: {
    ...applicationForms,
    ...credentialForms,
    ...dialectForms,
    ...endpointForms,
    ...rentedNumberForms,
    ...senderForms,
    ...settingForms,
    ...templateForms,
    ...testNumberForms,
    ...userForms,
  },
};

function tabView(request: PageRequest): PageView {
  const shown = tabs.find(([name]) => name === (request.param("tab") || firstTab));
  if (!shown) throw new Refusal("request.not_found", "There is nothing here.");
  const [, title, cards] = shown;
  const children = (
    <>
      <div class="view-head">
        <h1>Portal</h1>
      </div>
      <nav class="tabs" aria-label="Portal">
        {tabs.map((tab) => tabLink(tab, tab === shown, request.application.id))}
      </nav>
      {cards.map((TabCard) => (
        <TabCard {...request} />
      ))}
    </>
  );
  return { title, children };
}

function tabLink([name, label]: Tab, isShown: boolean, applicationId: string): Html {
  const path = applicationPath(applicationId, "portal", ...(name === firstTab ? [] : [name]));
  return (
    <a href={path} aria-current={isShown ? "page" : undefined} id={`tab-${name}`}>
      {label}
    </a>
  );
}

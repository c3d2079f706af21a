import { Card, type Html } from "@doorcode/operations/page-parts";
import { defaultSettings, type Settings } from "../../state/settings.ts";
import { FieldsForm, Input } from "../components/controls.tsx";
import { applicationPath } from "../components/paths.ts";
import { type FormHandlers, type PageRequest, toNumber } from "../request/page-request.tsx";

/** The handler of the form that changes the settings of an application. An empty field is an empty list, or changes nothing. */
export const settingForms: FormHandlers = {
  "/settings": ({ sandbox, form }) => {
    const isList = (name: string) => Array.isArray(Reflect.get(defaultSettings, name));
    const settings = form.members((name, value) => (isList(name) ? listOf(value) : toNumber(value || undefined)));
    sandbox.configure({ settings });
  },
};

/** Reads a list whose values have commas between them. */
function listOf(text: string): readonly unknown[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean)
    .map(toNumber);
}

const labels: Readonly<Record<keyof Settings, string>> = {
  sentAfterMilliseconds: "QUEUED to SENT, ms",
  outcomeAfterMilliseconds: "SENT to the outcome, ms",
  slowOutcomeSeconds: "The same for slow numbers, s",
  fallbackAfterSeconds: "Next channel after, s",
  codeDigits: "Digits of a code",
  codeTtlSeconds: "Lifetime of a code, s",
  maxConfirmationAttempts: "Wrong codes before FAILED",
  maxRecipients: "Recipients per request",
  maxTextLength: "Length of a text",
  maxChannels: "Channel entries",
  maxListedMessages: "Messages in GET /messages",
  maxBodyBytes: "Request body, bytes",
  webhookTimeoutMilliseconds: "Webhook time-out, ms",
  webhookRetryDelaysSeconds: "Retry delays, s",
  disableAfterSeconds: "Endpoint disabled after, s",
  requestsPerSecond: "Requests per second (0: no limit)",
  countriesWithoutSenderIds: "Countries without sender IDs",
};

const settingNames = Object.keys(labels).filter((name): name is keyof Settings => name in defaultSettings);

/** Shows a form with the settings of an application. */
export function SettingsCard({ application: { id, settings } }: PageRequest): Html {
  return (
    <Card
      id="settings"
      title="Settings"
      lead="Limits and delays. Delays are on the clock of the application, except for the webhook time-out."
    >
      <FieldsForm action={applicationPath(id, "settings")} label="Save settings" look="primary" wide>
        {settingNames.map((name) => (
          <Input
            label={labels[name]}
            hint={settingHint(name, settings)}
            inputmode={Array.isArray(settings[name]) ? "text" : "numeric"}
            name={name}
            value={settingText(settings, name)}
          />
        ))}
      </FieldsForm>
    </Card>
  );
}

function settingHint(name: keyof Settings, settings: Settings): string | undefined {
  const usual = settingText(defaultSettings, name);
  return settingText(settings, name) === usual ? undefined : `default ${usual || "none"}`;
}

function settingText(settings: Settings, name: keyof Settings): string {
  const value = settings[name];
  return typeof value === "object" ? value.join(", ") : String(value);
}

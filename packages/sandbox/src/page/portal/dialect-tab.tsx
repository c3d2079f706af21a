import { defaultSettings, type Settings } from "../../settings.ts";
import type { Application } from "../../state/application.ts";
import { type Dialect, defaultDialect, dialectChoices } from "../../wire/dialect.ts";
import { address } from "../address.ts";
import { Card } from "../controls/card.tsx";
import { Field, Select } from "../controls/form.tsx";
import type { Html } from "../html.ts";
import { dialectChoiceWords, dialectWords } from "./dialect-words.ts";
import { settingWords } from "./setting-words.ts";

/** What {@link DialectTab} shows. */
export interface DialectTabProps {
  readonly application: Pick<Application, "id" | "dialect" | "settings">;
}

/** How the service writes what its specification leaves open, and its limits. */
export function DialectTab({ application: { id, dialect, settings } }: DialectTabProps): Html {
  return (
    <>
      <DialectCard id={id} dialect={dialect} />
      <SettingsCard id={id} settings={settings} />
    </>
  );
}

function DialectCard({ id, dialect }: { readonly id: string; readonly dialect: Dialect }): Html {
  return (
    <Card
      id="dialect"
      title="Dialect"
      lead="How the service writes what its specification leaves open. Your app should work with each of them."
    >
      <form method="post" action={address(id, "dialect")} class="fields">
        {rowNames.map((row) => (
          <Field label={dialectWords[row]} hint={dialect[row] === defaultDialect[row] ? undefined : "not the default"}>
            <Select name={row} chosen={String(dialect[row])} choices={choicesOf(row)} />
          </Field>
        ))}
        <p class="act wide">
          <button type="submit" class="primary">
            Save dialect
          </button>
        </p>
      </form>
    </Card>
  );
}

const rowNames = Object.keys(dialectWords).filter((name): name is keyof Dialect => name in dialectChoices);

function choicesOf(row: keyof Dialect) {
  return dialectChoices[row].map((choice) => ({ value: String(choice), label: dialectChoiceWords(row, choice) }));
}

function SettingsCard({ id, settings }: { readonly id: string; readonly settings: Settings }): Html {
  return (
    <Card
      id="settings"
      title="Settings"
      lead="Limits and times, which the specification leaves open, and its own schedule. Times are on the clock of the application."
    >
      <form method="post" action={address(id, "settings")} class="fields">
        {settingNames.map((name) => (
          <Field label={settingWords[name]} hint={settingHint(name, settings)}>
            <input
              type="text"
              inputmode={Array.isArray(settings[name]) ? "text" : "numeric"}
              name={name}
              value={settingText(settings, name)}
              autocomplete="off"
            />
          </Field>
        ))}
        <p class="act wide">
          <button type="submit" class="primary">
            Save settings
          </button>
        </p>
      </form>
    </Card>
  );
}

const settingNames = Object.keys(settingWords).filter((name): name is keyof Settings => name in defaultSettings);

function settingHint(name: keyof Settings, settings: Settings): string | undefined {
  const usual = settingText(defaultSettings, name);
  return settingText(settings, name) === usual ? undefined : `default ${usual || "none"}`;
}

/** A setting as one writes it into a field. */
function settingText(settings: Settings, name: keyof Settings): string {
  const value = settings[name];
  return typeof value === "object" ? value.join(", ") : String(value);
}

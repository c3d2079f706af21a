import type { Hono } from "hono";
import { findApplication } from "../../portal/applications.ts";
import { parseConfiguration } from "../../portal/configuration.ts";
import { defaultSettings } from "../../settings.ts";
import { createActs, type PageActInput } from "./act.ts";
import type { PageDesk } from "./desk.ts";
import { numberIn, type PageForm } from "./form.ts";

/** What the portal does with the users, templates, numbers, settings and dialect of an application. */
export function createPageConfigurationActs(desk: PageDesk): Hono {
  const current = ({ application }: PageActInput) => findApplication(desk.parts.service, application.id);
  const configure = ({ application }: PageActInput, configuration: object) =>
    application.configure(parseConfiguration("configure", configuration));
  const setEntry =
    (member: "templates" | "behaviours" | "codes", key: string, value: string) => (input: PageActInput) =>
      configure(input, {
        [member]: { ...current(input)[member], [input.form.text(key) ?? ""]: input.form.text(value) ?? "" },
      });
  const removeEntry = (member: "templates" | "behaviours" | "codes", key: string) => (input: PageActInput) =>
    configure(input, {
      [member]: Object.fromEntries(
        Object.entries(current(input)[member]).filter(([name]) => name !== input.form.text(key)),
      ),
    });
  const usersBut = (input: PageActInput) =>
    current(input).users.filter(({ email }) => email !== input.form.text("email"));

  return createActs(desk, {
    staying: {
      users: (input) => {
        const user = { email: input.form.text("email"), role: input.form.text("role") };
        configure(input, { users: [...usersBut(input), user] });
      },
      "users/remove": (input) => configure(input, { users: usersBut(input) }),
      templates: setEntry("templates", "name", "text"),
      "templates/remove": removeEntry("templates", "name"),
      behaviours: setEntry("behaviours", "who", "behaviour"),
      "behaviours/remove": removeEntry("behaviours", "who"),
      codes: setEntry("codes", "phone", "code"),
      "codes/remove": removeEntry("codes", "phone"),
      dialect: (input) => configure(input, { dialect: dialectIn(input.form) }),
      settings: (input) => configure(input, { settings: settingsIn(input.form) }),
    },
  });
}

/** Only the status of an accepted verification is a number. */
function dialectIn(form: PageForm): object {
  return Object.fromEntries(
    form.entries().map(([name, value]) => [name, name === "acceptedStatus" ? numberIn(value) : value]),
  );
}

/** A list is written with commas; what is empty is a list without entries, or a setting that stays. */
function settingsIn(form: PageForm): object {
  const lists = Object.entries(defaultSettings).filter(([, value]) => typeof value === "object");
  const listNames = new Set(lists.map(([name]) => name));
  const entries = form.entries().map(([name, value]) => {
    if (listNames.has(name))
      return [
        name,
        value
          .split(",")
          .map((part) => part.trim())
          .filter(Boolean)
          .map(numberIn),
      ];
    return [name, numberIn(value || undefined)];
  });
  return Object.fromEntries(entries);
}

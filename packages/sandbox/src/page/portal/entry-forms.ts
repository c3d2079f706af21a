import type { FormHandlers } from "../request/page-request.tsx";

/**
 * Returns the handlers of the forms that set and remove an entry of a record in the configuration of an application.
 *
 * @param key - name of the field with the key of the entry. A missing key or value is empty, so that a later check refuses it.
 */
export function entryForms(member: "templates" | "codes" | "behaviours", key: string, value: string): FormHandlers {
  return {
    [`/${member}`]: ({ sandbox, application, form }) => {
      const entries = { ...application[member], [form.text(key) ?? ""]: form.text(value) ?? "" };
      sandbox.configure({ [member]: entries });
    },
    [`/${member}/remove`]: ({ sandbox, application, form }) => {
      const { [form.text(key) ?? ""]: _, ...entries } = application[member];
      sandbox.configure({ [member]: entries });
    },
  };
}

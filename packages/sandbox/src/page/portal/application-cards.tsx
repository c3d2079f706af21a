import { removeApplication, resetApplication } from "../../sandbox/application-lifecycle.ts";
import { configureApplication } from "../../sandbox/configuration.ts";
import { type Application, defaultApplicationId } from "../../state/application.ts";
import { Card } from "../components/card.tsx";
import { Field, PostButton, SubmitButton } from "../components/form-fields.tsx";
import type { Html } from "../components/html.ts";
import { applicationPath } from "../components/paths.ts";
import { type FormHandlers, ofApplication } from "../request/form-handler.ts";

/** The handlers of the forms that rename, reset and remove an application. */
export const applicationForms: FormHandlers = {
  returning: {
    [`${ofApplication}/name`]: ({ deps, application, form }) =>
      configureApplication(deps, application.id, { name: form.text("name") ?? "" }),
    [`${ofApplication}/reset`]: ({ deps, application }) => resetApplication(deps, application.id),
  },
  redirecting: {
    [`${ofApplication}/remove`]: ({ deps, application }) => {
      removeApplication(deps, application.id);
      return { to: "/" };
    },
  },
};

/** Shows the name of an application. */
export function ApplicationCard({
  application: { id, name },
}: {
  readonly application: Pick<Application, "id" | "name">;
}): Html {
  return (
    <Card id="application" title="Application">
      <form method="post" action={applicationPath(id, "name")} class="fields">
        <Field label="Name">
          <input type="text" name="name" value={name} required maxlength={300} autocomplete="off" />
        </Field>
        <SubmitButton label="Rename" />
      </form>
    </Card>
  );
}

/** Shows the buttons that reset an application and, unless it is the default one, remove it. */
export function EndCard({ id }: { readonly id: string }): Html {
  return (
    <Card id="end" title="Start over">
      <div class="row">
        <PostButton
          action={applicationPath(id, "reset")}
          label="Reset"
          look="danger"
          confirm="Delete all messages, verifications, deliveries and faults of this application, and set its clock to the machine's?"
        />
        {id !== defaultApplicationId && (
          <PostButton
            action={applicationPath(id, "remove")}
            label="Remove application"
            look="danger"
            confirm="Remove this application and everything in it?"
          />
        )}
        <span class="soft">A reset keeps the configuration.</span>
      </div>
    </Card>
  );
}

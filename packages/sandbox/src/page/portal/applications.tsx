import {
  configureApplication,
  createApplication,
  removeApplication,
  resetApplication,
} from "../../sandbox/applications.ts";
import { envLines, envOf } from "../../sandbox/credentials.ts";
import { type Application, defaultApplicationId } from "../../state/application.ts";
import { Field, PostButton, SubmitButton } from "../components/controls.tsx";
import { type ApplicationProps, Card, type Html } from "../components/elements.tsx";
import { applicationPath } from "../components/paths.ts";
import { Status } from "../components/status.tsx";
import { type FormHandlers, ofApplication } from "../request/form-handler.ts";
import { secretNotice } from "./credentials.tsx";

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
export function ApplicationCard({ application: { id, name } }: ApplicationProps): Html {
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

/** The handler of the form that creates an application. */
export const applicationsForms: FormHandlers = {
  redirecting: {
    "/applications": ({ deps, form, origin }) => {
      const application = createApplication(deps, { name: form.text("name") ?? "" });
      const secret = envLines(envOf(deps, origin, application));
      return { to: applicationPath(application.id, "portal"), notice: { kind: "secret", text: secretNotice, secret } };
    },
  },
};

interface ApplicationsCardProps {
  readonly applicationId: string;
  readonly applications: readonly Pick<Application, "id" | "name">[];
}

/** Shows all applications, and a form that creates one. */
export function ApplicationsCard({ applicationId, applications }: ApplicationsCardProps): Html {
  return (
    <Card
      id="applications"
      title="Applications"
      lead="Each application has its own key, signing secret, inbox, clock and faults, and sees nothing of the others."
    >
      <ul class="items">
        {applications.map(({ id, name }) => (
          <li id={`application-${id}`}>
            <a href={applicationPath(id, "portal")}>
              <strong>{name}</strong>
            </a>
            <code class="text">{id}</code>
            {id === applicationId && <Status tone="quiet">Shown now</Status>}
          </li>
        ))}
      </ul>
      <form method="post" action="/applications" class="fields">
        <Field label="Name">
          <input type="text" name="name" required maxlength={80} placeholder="Shop, staging" autocomplete="off" />
        </Field>
        <SubmitButton label="Create application" look="primary" />
      </form>
    </Card>
  );
}

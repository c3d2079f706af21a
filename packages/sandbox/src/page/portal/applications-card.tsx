import { createApplication } from "../../sandbox/application-lifecycle.ts";
import { envLines, envOf } from "../../sandbox/credentials.ts";
import type { Application } from "../../state/application.ts";
import { Card } from "../components/card.tsx";
import { Field, SubmitButton } from "../components/form-fields.tsx";
import type { Html } from "../components/html.ts";
import { applicationPath } from "../components/paths.ts";
import { Status } from "../components/status.tsx";
import type { FormHandlers } from "../request/form-handler.ts";
import { secretNotice } from "./credentials-cards.tsx";

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

/** The properties of {@link ApplicationsCard}. */
export interface ApplicationsCardProps {
  /** The application that is shown. */
  readonly applicationId: string;
  /** All applications. */
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

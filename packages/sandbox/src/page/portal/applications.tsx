import { Card, type Html, PostButton, Status } from "@doorcode/operations/page-parts";
import { createApplication, listApplications } from "../../sandbox/applications.ts";
import { envLines, envOf } from "../../sandbox/credentials.ts";
import { defaultApplicationId } from "../../state/application.ts";
import { FieldsForm, Input } from "../components/controls.tsx";
import { applicationPath } from "../components/paths.ts";
import type { FormHandlers, PageRequest } from "../request/page-request.tsx";
import { secretNotice } from "./credentials.tsx";

/** The handlers of the forms that rename, reset and remove an application. */
export const applicationForms: FormHandlers = {
  "/name": ({ sandbox, form }) => sandbox.configure({ name: form.text("name") ?? "" }),
  "/reset": ({ sandbox }) => sandbox.reset(),
  "/remove": ({ sandbox, answer }) => {
    sandbox.remove();
    answer({ to: "/" });
  },
};

/** The handler of the form that creates an application. Its path is not below the path of an application. */
export const accountForms: FormHandlers = {
  "/applications": ({ deps, form, origin, answer }) => {
    const application = createApplication(deps, { name: form.text("name") ?? "" });
    const secret = envLines(envOf(deps, origin, application));
    answer({ to: applicationPath(application.id, "portal"), notice: { kind: "secret", text: secretNotice, secret } });
  },
};

/** Shows the name of an application. */
export function ApplicationCard({ application: { id, name } }: PageRequest): Html {
  return (
    <Card id="application" title="Application">
      <FieldsForm action={applicationPath(id, "name")} label="Rename">
        <Input label="Name" name="name" value={name} required maxlength={300} />
      </FieldsForm>
    </Card>
  );
}

/** Shows the buttons that reset an application and, unless it is the default one, remove it. */
export function EndCard({ application: { id } }: PageRequest): Html {
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

/** Shows all applications, and a form that creates one. */
export function ApplicationsCard({ deps, application }: PageRequest): Html {
  return (
    <Card
      id="applications"
      title="Applications"
      lead="Each application has its own key, signing secret, inbox, clock and faults, and sees nothing of the others."
    >
      <ul class="items">
        {listApplications(deps).map(({ id, name }) => (
          <li id={`application-${id}`}>
            <a href={applicationPath(id, "portal")}>
              <strong>{name}</strong>
            </a>
            <code class="text">{id}</code>
            {id === application.id && <Status tone="quiet">Shown now</Status>}
          </li>
        ))}
      </ul>
      <FieldsForm action="/applications" label="Create application" look="primary">
        <Input label="Name" name="name" required maxlength={80} placeholder="Shop, staging" />
      </FieldsForm>
    </Card>
  );
}

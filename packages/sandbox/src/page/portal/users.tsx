import { configureApplication } from "../../sandbox/applications.ts";
import type { Application } from "../../state/application.ts";
import { Field, PostButton, Select, SubmitButton } from "../components/controls.tsx";
import { type ApplicationProps, Card, type Html } from "../components/elements.tsx";
import { applicationPath } from "../components/paths.ts";
import { type FormHandlers, type FormRequest, ofApplication } from "../request/form-handler.ts";

/** The handlers of the forms that change the users of an application. */
export const userForms: FormHandlers = {
  returning: {
    [`${ofApplication}/users`]: (request) => {
      const { deps, application, form } = request;
      const user = { email: form.text("email"), role: form.text("role") };
      configureApplication(deps, application.id, { users: [...otherUsers(request), user] });
    },
    [`${ofApplication}/users/remove`]: (request) =>
      configureApplication(request.deps, request.application.id, { users: otherUsers(request) }),
  },
};

function otherUsers({ application, form }: FormRequest): Application["users"] {
  return application.users.filter(({ email }) => email !== form.text("email"));
}

const roles = ["admin", "developer", "viewer"].map((role) => ({ value: role, label: role }));

/** Shows the users of an application, and a form that adds one. They are records only: the sandbox has no login. */
export function UsersCard({ application: { id, users } }: ApplicationProps): Html {
  return (
    <Card
      id="users"
      title="Users"
      lead="People who may use the portal for this application. They are records only: the sandbox has no login."
    >
      <ul class="items">
        {users.map(({ email, role }) => (
          <li id={`user-${email}`}>
            <strong>{email}</strong>
            <span class="text">{role}</span>
            <PostButton
              action={applicationPath(id, "users", "remove")}
              label={`Remove ${email}`}
              icon="trash"
              bare
              fields={{ email }}
            />
          </li>
        ))}
      </ul>
      <form method="post" action={applicationPath(id, "users")} class="fields">
        <Field label="E-mail">
          <input type="email" name="email" required placeholder="ada@example.com" autocomplete="off" />
        </Field>
        <Field label="Role">
          <Select name="role" choices={roles} chosen="developer" />
        </Field>
        <SubmitButton label="Add user" look="primary" />
      </form>
    </Card>
  );
}

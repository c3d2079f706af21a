import { Card, type Html } from "@doorcode/operations/page-parts";
import type { User } from "../../state/application.ts";
import { FieldsForm, Input, Item, SelectField } from "../components/controls.tsx";
import { applicationPath } from "../components/paths.ts";
import type { FormHandlers, FormRequest, PageRequest } from "../request/page-request.tsx";

/** The handlers of the forms that change the users of an application. */
export const userForms: FormHandlers = {
  "/users": (request) => {
    const { sandbox, form } = request;
    const user = { email: form.text("email"), role: form.text("role") };
    sandbox.configure({ users: [...otherUsers(request), user] });
  },
  "/users/remove": (request) => request.sandbox.configure({ users: otherUsers(request) }),
};

function otherUsers({ application, form }: FormRequest): readonly User[] {
  return application.users.filter(({ email }) => email !== form.text("email"));
}

const roles: Readonly<Record<User["role"], string>> = { admin: "admin", developer: "developer", viewer: "viewer" };

/** Shows the users of an application, and a form that adds one. They are records only: the sandbox has no login. */
export function UsersCard({ application: { id, users } }: PageRequest): Html {
  const path = applicationPath(id, "users");
  return (
    <Card
      id="users"
      title="Users"
      lead="People who may use the portal for this application. They are records only: the sandbox has no login."
    >
      <ul class="items">
        {users.map(({ email, role }) => (
          <Item list={path} field="email" name={email}>
            <span class="text">{role}</span>
          </Item>
        ))}
      </ul>
      <FieldsForm action={path} label="Add user" look="primary">
        <Input label="E-mail" type="email" name="email" required placeholder="ada@example.com" />
        <SelectField label="Role" name="role" choices={roles} chosen="developer" />
      </FieldsForm>
    </Card>
  );
}

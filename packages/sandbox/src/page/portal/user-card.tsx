import type { Application } from "../../state/application.ts";
import { address } from "../address.ts";
import { Card } from "../controls/card.tsx";
import { Field, PostButton, Select } from "../controls/form.tsx";
import type { Html } from "../html.ts";

const roles = ["admin", "developer", "viewer"].map((role) => ({ value: role, label: role }));

/** Who may use the portal for an application. The sandbox keeps the record; it asks nobody to log in. */
export function UserCard({
  application: { id, users },
}: {
  readonly application: Pick<Application, "id" | "users">;
}): Html {
  return (
    <Card
      id="users"
      title="Users"
      lead="Who may use the portal for this application. Here it is a record: nobody has to log in."
    >
      <ul class="items">
        {users.map(({ email, role }) => (
          <li id={`user-${email}`}>
            <strong>{email}</strong>
            <span class="text">{role}</span>
            <PostButton
              action={address(id, "users", "remove")}
              label={`Remove ${email}`}
              icon="trash"
              bare
              fields={{ email }}
            />
          </li>
        ))}
      </ul>
      <form method="post" action={address(id, "users")} class="fields">
        <Field label="E-mail">
          <input type="email" name="email" required placeholder="ada@example.com" autocomplete="off" />
        </Field>
        <Field label="Role">
          <Select name="role" choices={roles} chosen="developer" />
        </Field>
        <p class="act">
          <button type="submit">Add user</button>
        </p>
      </form>
    </Card>
  );
}

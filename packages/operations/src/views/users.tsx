import { doorcodeParts } from "@doorcode/core/adapter";
import type { PageContext, ShownView } from "../page-context.ts";
import { Card, EmptyNote, Field } from "../page-parts.ts";

/** Lets an operator end a user's sessions. */
export async function usersView({ doorcode, basePath }: PageContext): Promise<ShownView> {
  const hasSessions = doorcode[doorcodeParts].sessions !== undefined;
  const lead = "A stolen account or phone, or somebody who may no longer come in: end every session of a user.";
  const children = (
    <Card
      id="sessions"
      title="End a user's sessions"
      lead="Every browser and app of the user must log in again, also those that are remembered. The user keeps the number. The id is what your app's onLogin returned: your app and its logs know it. A phone number is no id."
    >
      {hasSessions ? (
        <form method="post" action={`${basePath}/users/end-sessions`} class="fields">
          <Field label="User id">
            <input type="text" name="user" required autocomplete="off" maxlength={200} />
          </Field>
          {/* The id may be a phone number, so no page that asks repeats it. */}
          <label class="check wide">
            <input type="checkbox" name="sure" value="yes" required />
            <span>Yes, end every session of this user</span>
          </label>
          <p class="actions">
            <button type="submit" class="danger">
              End the sessions
            </button>
          </p>
        </form>
      ) : (
        <EmptyNote>The sessions are your app's own: end them there.</EmptyNote>
      )}
    </Card>
  );
  return { title: "Users", lead, children };
}

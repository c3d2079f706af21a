import type { Application } from "../../state/application.ts";
import { address } from "../address.ts";
import { Card } from "../controls/card.tsx";
import { CopyBlock, CopyButton } from "../controls/copy.tsx";
import { Field, PostButton } from "../controls/form.tsx";
import { Icon } from "../controls/icon.tsx";
import type { Html } from "../html.ts";
import { UserCard } from "./user-card.tsx";

/** What {@link ApplicationTab} shows. Of the signing secret it knows nothing. */
export interface ApplicationTabProps {
  readonly application: Pick<Application, "id" | "name" | "apiKey" | "users">;
  /** The environment as lines of an `.env` file. */
  readonly env: string;
  /** The default application stays. */
  readonly removable: boolean;
}

/** The name, the credentials and the users of an application, and its end. */
export function ApplicationTab({ application, env, removable }: ApplicationTabProps): Html {
  const { id, name } = application;
  return (
    <>
      <Card id="application" title="Application">
        <form method="post" action={address(id, "name")} class="fields">
          <Field label="Name">
            <input type="text" name="name" value={name} required maxlength={300} autocomplete="off" />
          </Field>
          <p class="act">
            <button type="submit">Rename</button>
          </p>
        </form>
      </Card>
      <Credentials application={application} />
      <Card id="environment" title="Environment" lead="What your app reads to use this application.">
        <CopyBlock text={env} what="the environment" />
      </Card>
      <UserCard application={application} />
      <EndCard id={id} removable={removable} />
    </>
  );
}

function Credentials({ application: { id, apiKey } }: Pick<ApplicationTabProps, "application">): Html {
  return (
    <Card
      id="credentials"
      title="Credentials"
      lead="One API key, sent as X-API-KEY, and one signing secret for all webhooks of this application."
    >
      <KeyRow id={id} apiKey={apiKey} />
      <div class="key-row">
        <span class="label">Signing secret</span>
        <span class="soft">shown once, when it is made</span>
        <span class="push" />
        <PostButton
          action={address(id, "secret", "regenerate")}
          label="Regenerate"
          look="plain"
          icon="again"
          confirm="Regenerate the signing secret? It changes at once for all endpoints of this application and every callback_url."
        />
      </div>
    </Card>
  );
}

function KeyRow({ id, apiKey }: Pick<Application, "id" | "apiKey">): Html {
  return (
    <div class="key-row">
      <span class="label">API key</span>
      {apiKey === undefined ? (
        <span class="soft">revoked: rotate to get another one</span>
      ) : (
        <MaskedKey apiKey={apiKey} />
      )}
      <span class="push" />
      <PostButton
        action={address(id, "key", "rotate")}
        label="Rotate"
        look="plain"
        icon="again"
        confirm="Rotate the API key? The old one opens nothing from then on. Other applications keep theirs."
      />
      {apiKey !== undefined && (
        <PostButton
          action={address(id, "key", "revoke")}
          label="Revoke"
          look="danger"
          confirm="Revoke the API key? The application has none until you rotate."
        />
      )}
    </div>
  );
}

/** Opens without scripts too. */
function MaskedKey({ apiKey }: { readonly apiKey: string }): Html {
  return (
    <>
      <details class="reveal" id="api-key">
        <summary>
          <code class="masked">{maskKey(apiKey)}</code>
          <Icon name="eye" />
          <span class="unseen">Show the API key</span>
        </summary>
        <code>{apiKey}</code>
      </details>
      <CopyButton text={apiKey} what="the API key" bare />
    </>
  );
}

/** Shows the last four characters of a key, and of a short one none. */
export function maskKey(key: string): string {
  return `${"•".repeat(12)}${key.length >= 12 ? key.slice(-4) : ""}`;
}

function EndCard({ id, removable }: { readonly id: string; readonly removable: boolean }): Html {
  return (
    <Card id="end" title="Start over">
      <div class="row">
        <PostButton
          action={address(id, "reset")}
          label="Reset"
          look="danger"
          confirm="Forget all messages, verifications, deliveries and faults of this application, and set its clock to the machine's?"
        />
        {removable && (
          <PostButton
            action={address(id, "remove")}
            label="Remove application"
            look="danger"
            confirm="Remove this application with everything in it?"
          />
        )}
        <span class="soft">Resetting keeps the configuration.</span>
      </div>
    </Card>
  );
}

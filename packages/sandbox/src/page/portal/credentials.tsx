import { Card, type Html, Icon, PostButton } from "@doorcode/operations/page-parts";
import { envLines, publishedCredentials } from "../../sandbox/credentials.ts";
import { CopyBlock, CopyButton } from "../components/controls.tsx";
import { applicationPath } from "../components/paths.ts";
import type { FormHandlers, PageRequest } from "../request/page-request.tsx";

/** The notice with a new signing secret. */
export const secretNotice = "Store the signing secret now. It is not shown again.";

/** The handlers of the forms that change the credentials of an application. */
export const credentialForms: FormHandlers = {
  "/key/revoke": ({ sandbox }) => sandbox.revokeApiKey(),
  "/key/rotate": ({ sandbox, answer }) => {
    sandbox.rotateApiKey();
    answer({ notice: { kind: "done", text: "The API key was rotated. The old one no longer works." } });
  },
  "/secret/regenerate": ({ sandbox, answer }) => {
    const secret = sandbox.regenerateSigningSecret();
    const text = `${secretNotice} It now signs the webhooks to all endpoints of this application and every callback_url.`;
    answer({ notice: { kind: "secret", text, secret } });
  },
};

/** Shows the API key of an application, and the buttons that change its credentials. */
export function CredentialsCard({ application: { id, apiKey } }: PageRequest): Html {
  return (
    <Card
      id="credentials"
      title="Credentials"
      lead="One API key, sent as X-API-KEY, and one signing secret for all webhooks of this application."
    >
      <div class="key-row">
        <span class="label">API key</span>
        {apiKey === undefined ? <span class="soft">revoked: rotate it to get a new one</span> : maskedKey(apiKey)}
        <span class="push" />
        <PostButton
          action={applicationPath(id, "key", "rotate")}
          label="Rotate"
          icon="again"
          confirm="Rotate the API key? The old one stops working. Other applications keep theirs."
        />
        {apiKey !== undefined && (
          <PostButton
            action={applicationPath(id, "key", "revoke")}
            label="Revoke"
            look="danger"
            confirm="Revoke the API key? The application has none until you rotate it."
          />
        )}
      </div>
      <div class="key-row">
        <span class="label">Signing secret</span>
        <span class="soft">shown once, when it is generated</span>
        <span class="push" />
        <PostButton
          action={applicationPath(id, "secret", "regenerate")}
          label="Regenerate"
          icon="again"
          confirm="Regenerate the signing secret? It changes immediately for all endpoints of this application and every callback_url."
        />
      </div>
    </Card>
  );
}

/** Shows the last four characters of a key. A details element also opens without scripts. */
function maskedKey(apiKey: string): Html {
  return (
    <>
      <details class="reveal" id="api-key">
        <summary>
          <code class="masked">{`${"•".repeat(12)}${apiKey.slice(-4)}`}</code>
          <Icon name="eye" />
          <span class="unseen">Show the API key</span>
        </summary>
        <code>{apiKey}</code>
      </details>
      <CopyButton text={apiKey} label="the API key" />
    </>
  );
}

/** Shows the environment of a program that uses the application, as the lines of an `.env` file, and links the description of its API. */
export function EnvironmentCard(request: PageRequest): Html {
  const description = (
    <a href={`/_sandbox${applicationPath(request.application.id, "openapi.json")}`} target="_blank" rel="noreferrer">
      OpenAPI
    </a>
  );
  return (
    <Card
      id="environment"
      title="Environment"
      lead="The variables with which your app uses this application."
      aside={description}
    >
      <CopyBlock text={environmentText(request)} label="the environment" />
    </Card>
  );
}

/** Returns the lines of an `.env` file for an application. Only the published signing secret is shown. */
export function environmentText({ sandbox: { env } }: PageRequest): string {
  const isPublished = env.WEBHOOK_SECRET === publishedCredentials.signingSecret;
  return envLines(isPublished ? env : { ...env, WEBHOOK_SECRET: "<shown once, when it was generated>" });
}

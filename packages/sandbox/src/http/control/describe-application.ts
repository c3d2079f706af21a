import type { Application } from "../../state/application.ts";

/** An application as it is shown: its signing secrets are not. */
export function describeApplication(application: Application): object {
  const { signingSecret: _, previousSigningSecret: __, ...shown } = application;
  return shown;
}

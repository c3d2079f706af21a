import { createDoorcode, type Doorcode, serviceCodes } from "@doorcode/core";

/** Creates the kit. Its users are their numbers: a real app looks the user up, or creates one. */
export function createKit(env: NodeJS.ProcessEnv): Doorcode {
  return createDoorcode({
    ...(env.ORIGIN && { origins: [env.ORIGIN] }),
    service: { baseUrl: env.SERVICE_URL, apiKey: env.SERVICE_API_KEY },
    login: {
      countries: ["DE", "AT", "CH"],
      codes: serviceCodes({ template: "login" }),
      onLogin: ({ phone }) => phone,
    },
    session: { password: env.SESSION_PASSWORD },
    webhooks: {
      secret: env.WEBHOOK_SECRET,
      on: { "verification.update": ({ data }) => void process.stdout.write(`webhook: ${data.status}\n`) },
    },
  });
}

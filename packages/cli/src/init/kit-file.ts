/** How the kit's file is written. */
export interface KitFileOptions {
  /** Whether the file has types. */
  readonly hasTypes: boolean;
  /** Whether the file has `import`, and not `require`. */
  readonly isModule: boolean;
  /** The ISO codes of the countries whose numbers may log in. */
  readonly countries: readonly string[];
}

/** Writes the file that creates the kit. */
export function kitFile({ hasTypes, isModule, countries }: KitFileOptions): string {
  const users = hasTypes ? "new Map<string, string>()" : "new Map()";
  const phone = hasTypes ? "phone: string" : "phone";
  const result = hasTypes ? ": string" : "";
  const imports = isModule
    ? 'import { randomUUID } from "node:crypto";\nimport { createDoorcode, serviceCodes } from "@doorcode/core";'
    : 'const { randomUUID } = require("node:crypto");\nconst { createDoorcode, serviceCodes } = require("@doorcode/core");';
  return `${imports}

// Replace this by your table of users: one user for each phone number.
const users = ${users};
function findOrCreateUser(${phone})${result} {
  const id = users.get(phone) ?? randomUUID();
  users.set(phone, id);
  return id;
}

${isModule ? "export " : ""}const doorcode = createDoorcode({
  // In production: ORIGINS=https://app.example.com, the address of your pages. Without it only this machine is served.
  ...(process.env.ORIGINS && { origins: process.env.ORIGINS.split(",") }),
  service: { baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_API_KEY },
  login: {
    countries: [${countries.map((code) => `"${code}"`).join(", ")}],
    codes: serviceCodes({ template: "login" }),
    onLogin: ({ phone }) => findOrCreateUser(phone),
  },
  session: { password: process.env.SESSION_PASSWORD },
  webhooks: {
    secret: process.env.WEBHOOK_SECRET,
    on: {
      "verification.update": ({ data }) => console.log("verification", data.status),
      "message.status.update": ({ data }) => console.log("message", data.status),
    },
  },
});
${isModule ? "" : "\nmodule.exports = { doorcode };\n"}`;
}

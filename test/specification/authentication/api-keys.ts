import { expect } from "vitest";
import type { Show } from "../describe-part.ts";
import { message, startService } from "../support/recorded-service.ts";
import { call, startSandbox } from "../support/sandbox.ts";

/** "API requests". */
export function showApiKeys({ sandbox, kit }: Show): void {
  sandbox("authentication.api.4", async () => {
    const running = await startSandbox();
    for (const headers of [{}, { "x-api-key": "" }, { "x-api-key": "wrong" }, { authorization: "Bearer sandbox" }]) {
      expect((await call(running, "GET /messages", undefined, { ...headers })).status).toBe(401);
    }
    running.createApplication().revokeApiKey();
    expect((await call(running, "GET /messages", undefined, { "x-api-key": "undefined" })).status).toBe(401);
    const forbidding = await startSandbox({ dialect: { refusalStatus: "403_400" } });
    expect((await call(forbidding, "GET /messages", undefined, { "x-api-key": "wrong" })).status).toBe(403);
  });

  kit("authentication.api.4", async () => {
    for (const status of [401, 403]) {
      for (const body of ["", "<h1>No</h1>", { error_code: "auth.invalid" }, []]) {
        const { client } = await startService({ status, body });
        const refusal = { code: "service_unauthorized", outcome: "refused" };
        await expect(client.messages.send(message)).rejects.toMatchObject(refusal);
      }
    }
  });
}

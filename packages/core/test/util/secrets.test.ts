import { expect, test } from "vitest";
import { readSecrets, signingSecret } from "../../src/util/secrets.ts";

const read = (secret: unknown) => readSecrets("createDoorcode", "webhooks.secret", signingSecret, secret, undefined);

test("an old secret may be gone from the environment, and the new one may not", () => {
  for (const gone of ["", undefined]) {
    expect(read(["whk_secret_1", gone])).toEqual(["whk_secret_1"]);
    expect(() => read([gone, "whk_secret_1"])).toThrow("webhooks.secret is missing");
  }
});

import type { HttpRequest, Mount } from "@doorcode/core/adapter";
import { expect, test } from "vitest";
import { type FetchRequestContext, serve } from "../src/serve.ts";

/** A mount that answers every request, and keeps the paths of these. */
function createMount() {
  const paths: string[] = [];
  const mount: Mount<FetchRequestContext> = {
    paths: [],
    async handle({ path }: HttpRequest) {
      paths.push(path);
      return { status: 200, headers: {}, cookies: [], body: "body" };
    },
    close: () => undefined,
  };
  return { paths, answer: serve(mount, "/login") };
}

const client = { remoteAddress: undefined };

test.each(["/", "/login2", "/loginstart", "/other/login"])(
  "%s is not below /login, and the mount never sees it",
  async (path) => {
    const { paths, answer } = createMount();
    expect(await answer(new Request(`http://localhost${path}`), client)).toBeUndefined();
    expect(paths).toEqual([]);
  },
);

test.each(["GET", "HEAD"])("only the answer to another method than HEAD has a body: %s", async (method) => {
  const answer = await createMount().answer(new Request("http://localhost/login", { method }), client);
  expect(answer?.body === null).toBe(method === "HEAD");
});

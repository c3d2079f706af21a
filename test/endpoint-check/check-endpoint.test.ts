import { type AddressInfo, createServer } from "node:net";
import tls from "node:tls";
import { checkEndpoint, type Finding } from "@doorcode/cli/endpoint-check";
import { systemClock } from "@doorcode/core/store";
import * as onExpress from "@doorcode/express";
import * as onFastify from "@doorcode/fastify";
import express from "express";
import { generate } from "selfsigned";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createCertificates } from "../../packages/sandbox/test/support/certificates.ts";
import { findFreePort } from "../support/free-port.ts";
import { createKit, mistakes, secret, serve, serveExpress, serveFastify, serveTls } from "./mistaken-apps.ts";

const codes = (findings: readonly Finding[]) => findings.map(({ level, code }) => `${level} ${code}`);
const problems = (findings: readonly Finding[]) => findings.filter(({ level }) => level === "problem");
const works = ["ok accepted", "ok wrong_signature_refused", "ok old_timestamp_refused"];

/** The machine's clock, off by some seconds. */
function clockOffBy(seconds: number) {
  return { ...systemClock, now: () => Date.now() + seconds * 1000 };
}

test.each([
  {
    name: "Express",
    start: (handled: unknown[]) =>
      serveExpress((app) => void app.use("/webhooks", onExpress.webhooks(createKit(handled)))),
  },
  {
    name: "Fastify",
    start: (handled: unknown[]) =>
      serveFastify((app) => void app.register(onFastify.webhooks(createKit(handled)), { prefix: "/webhooks" })),
  },
])("the kit on $name passes, and no handler runs", async ({ start }) => {
  const handled: unknown[] = [];
  const findings = await checkEndpoint({ url: await start(handled), secret });
  expect(codes(findings)).toEqual(works);
  expect(handled).toEqual([]);
});

test.each(Object.entries(mistakes))("names it, with a fix, when %s", async (_title, { code, make }) => {
  const [found] = problems(await checkEndpoint({ url: await serveExpress(make), secret }));
  expect(found).toMatchObject({ code, text: expect.any(String), fix: expect.stringMatching(/\.$/) });
  expect(JSON.stringify(found)).not.toContain(secret);
});

test("a body parser above the kit is named", async () => {
  const url = await serveExpress((app) => {
    app.use(express.json());
    app.use("/webhooks", onExpress.webhooks(createKit()));
  });
  expect(codes(await checkEndpoint({ url, secret }))).toEqual(["problem body_already_read"]);
});

test.each([600, -600])(
  "a clock that is off by %d seconds is named, and not taken for a wrong secret",
  async (seconds) => {
    const url = await serveExpress((app) => void app.use("/webhooks", onExpress.webhooks(createKit())));
    const findings = await checkEndpoint({ url, secret, clock: clockOffBy(seconds) });
    expect(codes(findings)).toEqual(["problem clock_off"]);
    expect(findings[0]?.text).toContain(seconds > 0 ? "behind" : "ahead of");
  },
);

test("a wrong secret is named although the clock is off, too", async () => {
  const url = await serveExpress(
    (app) => void app.use("/webhooks", onExpress.webhooks(createKit([], "another_secret"))),
  );
  expect(codes(await checkEndpoint({ url, secret, clock: clockOffBy(600) }))).toEqual(["problem wrong_secret"]);
});

test("a clock that is nearly off is a warning", async () => {
  const url = await serveExpress((app) => void app.use("/webhooks", onExpress.webhooks(createKit())));
  const findings = await checkEndpoint({ url, secret, clock: clockOffBy(120) });
  expect(codes(findings)).toEqual(["ok accepted", "warning clock_off", ...works.slice(1)]);
});

test("a redirect to no web address is not repeated as the URL to register", async () => {
  const url = await serve((_request, response) => {
    response.writeHead(302, { location: "javascript:alert(1)" }).end();
  });
  const [redirect] = await checkEndpoint({ url, secret });
  expect(redirect).toMatchObject({ code: "redirect", fix: expect.not.stringContaining("alert") });
});

test("an endpoint that never answers is too slow", async () => {
  const url = await serve(() => {});
  expect(codes(await checkEndpoint({ url, secret, timeoutMilliseconds: 50 }))).toEqual(["problem too_slow"]);
});

test("an answer that takes most of the service's time is a warning", async () => {
  let lateSeconds = 0;
  const url = await serve((_request, response) => {
    lateSeconds += 3;
    response.writeHead(lateSeconds === 3 ? 204 : 401).end();
  });
  const clock = { ...systemClock, now: () => Date.now() + lateSeconds * 1000 };
  expect(codes(await checkEndpoint({ url, secret, clock }))).toContain("warning slow");
});

test("no more than three deliveries are sent to an endpoint that accepts the first, and one or two to any other", async () => {
  const sent: number[] = [];
  const answer = (status: number) =>
    serve((_request, response) => {
      sent.push(status);
      response.writeHead(status).end();
    });
  for (const status of [204, 401, 500]) await checkEndpoint({ url: await answer(status), secret });
  expect(sent).toEqual([204, 204, 204, 401, 500]);
});

describe("without a connection", () => {
  test("a host without an address is named", async () => {
    const findings = await checkEndpoint({ url: "https://app.invalid/webhooks", secret });
    expect(codes(findings)).toEqual(["problem unknown_host"]);
  });

  test("a port without a server is named", async () => {
    const closed = `http://127.0.0.1:${await findFreePort()}/webhooks`;
    expect(codes(await checkEndpoint({ url: closed, secret }))).toEqual(["problem connection_refused"]);
  });

  test("a server that speaks http is named when the URL is https", async () => {
    const url = await serve(() => {});
    expect(codes(await checkEndpoint({ url: url.replace("http:", "https:"), secret }))).toEqual(["problem no_tls"]);
  });

  test("a connection that is closed is named", async () => {
    const url = await serve((request) => void request.socket.destroy());
    expect(codes(await checkEndpoint({ url, secret }))).toEqual(["problem connection_failed"]);
  });

  const day = 24 * 60 * 60 * 1000;
  const localhost = { name: "subjectAltName" as const, altNames: [{ type: 2 as const, value: "localhost" }] };

  test.each([
    { name: "self-signed", options: {}, code: "certificate_self_signed" },
    {
      name: "expired",
      options: { notBeforeDate: new Date(Date.now() - 2 * day), notAfterDate: new Date(Date.now() - day) },
      code: "certificate_expired",
    },
  ])("a certificate that is $name is named", async ({ options, code }) => {
    const { cert, private: key } = await generate([{ name: "commonName", value: "localhost" }], {
      extensions: [localhost],
      ...options,
    });
    const url = await serveTls({ cert, key }, () => {});
    expect(codes(await checkEndpoint({ url, secret }))).toEqual([`problem ${code}`]);
  });

  test("a certificate that nobody has signed is named, also where the environment lets every certificate pass", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { selfSigned } = await createCertificates();
    const url = await serveTls(selfSigned, (_request, response) => void response.end());
    expect(codes(await checkEndpoint({ url, secret }))).toEqual(["problem certificate_self_signed"]);
  });

  test("an answer that changes the protocol is none, and is not waited for", async () => {
    const server = createServer((socket) =>
      socket.once(
        "data",
        () => void socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
      ),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const findings = await checkEndpoint({ url: `http://127.0.0.1:${port}/webhooks`, secret });
    expect(codes(findings)).toEqual(["problem connection_failed"]);
  });

  test("a certificate of another host is named, and one of this host is not", async () => {
    const { signed, authority } = await createCertificates();
    const before = tls.getCACertificates("default");
    tls.setDefaultCACertificates([...before, authority]);
    onTestFinished(() => tls.setDefaultCACertificates(before));
    const url = await serveTls(signed, (_request, response) => void response.writeHead(401).end());
    const ofOther = url.replace("localhost", "127.0.0.1");
    expect(codes(await checkEndpoint({ url: ofOther, secret }))).toEqual(["problem certificate_of_other_host"]);
    expect(codes(await checkEndpoint({ url, secret }))).toEqual(["problem wrong_secret"]);
  });
});

test.each([{ secret: undefined }, { secret: ["a"] }, { timeoutMilliseconds: Number.NaN }, { timeoutMs: 50 }])(
  "refuses wrong options, and names the option: %j",
  async (wrong) => {
    const options = { url: "http://localhost/webhooks", secret, ...wrong } as never;
    await expect(checkEndpoint(options)).rejects.toThrow(
      /^checkEndpoint: (secret:|timeoutMilliseconds:|unknown option timeoutMs;) /,
    );
  },
);

test.each(["", "ftp://app.example.com", "https://user:password@app.example.com/webhooks"])(
  "refuses the URL %j before it sends anything",
  async (url) => {
    await expect(checkEndpoint({ url, secret })).rejects.toThrow(TypeError);
  },
);

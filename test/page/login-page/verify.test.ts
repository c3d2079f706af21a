import { createProofVerifier, type VerifyProof } from "@doorcode/core";
import type { Sandbox } from "@doorcode/sandbox";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { askForCode, codeField, codeFor, type OpenApp, test } from "./fixtures.ts";

/** Confirms a number on the page of a `verify`. With a script, a code that is filled in is sent by itself. */
async function confirm(page: Page, code: string, hasScript = true): Promise<void> {
  await codeField(page).fill(code);
  if (!hasScript) await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("is confirmed.").waitFor();
}

/** Creates what another server of the app checks proofs with. */
function createVerifier({ env }: Sandbox, { name }: OpenApp): VerifyProof {
  const service = { baseUrl: env.SERVICE_URL };
  return createProofVerifier({ password: env.SESSION_PASSWORD, name, audience: "order", service });
}

/** Sends the form of the app, and returns the proof in it. */
async function order(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Order" }).click();
  await page.waitForURL("**/order?*");
  return new URL(page.url()).searchParams.get("proof") ?? "";
}

describe.each([
  ["with a script", true],
  ["without a script", false],
])("a number without an account, %s", (_, hasScript) => {
  test("the app's own form gets the proof, also after a reload, and of another number that takes its place", async ({
    start,
    sandbox,
  }) => {
    const app = await start();
    const page = await app.open("/verify", { javaScriptEnabled: hasScript });
    const first = await askForCode(page);
    await confirm(page, await codeFor(sandbox, first), hasScript);
    const done = page.locator("[part~=done]");
    const masked = `+49 ••• ••• ${first.slice(-4)}`;
    const whole = first.replace(/^(\+49)(1512)/, "$1 $2 ");
    expect(await done.textContent()).toBe(`Your number ${hasScript ? whole : masked} is confirmed.`);
    // The check mark is drawn.
    expect(await done.evaluate((node) => getComputedStyle(node, "::before").content)).toBe('""');
    await page.reload();
    expect(await done.textContent()).toBe(`Your number ${masked} is confirmed.`);
    const verifyProof = createVerifier(sandbox, app);
    const proof = await page.locator("input[name=proof]").inputValue();
    expect((await verifyProof(proof)).phone).toBe(first);

    await page.getByRole("button", { name: "Change number" }).click();
    const second = await askForCode(page);
    await confirm(page, await codeFor(sandbox, second), hasScript);
    expect((await verifyProof(await order(page))).phone).toBe(second);
  });
});

test("phone-login:confirmed has the proof, and the page stays", async ({ start, sandbox }) => {
  const app = await start();
  const page = await app.open("/verify");
  await page.evaluate(`
    document.addEventListener("phone-login:confirmed", ({ detail }) => { window.proof = detail.state.proof });`);
  const phone = await askForCode(page);
  await confirm(page, await codeFor(sandbox, phone));
  const proof: string = await page.evaluate("window.proof");
  expect((await createVerifier(sandbox, app)(proof)).phone).toBe(phone);
  expect(new URL(page.url()).pathname).toBe("/verify");
});

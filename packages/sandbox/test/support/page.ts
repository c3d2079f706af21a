import { expect } from "vitest";
import type { Sandbox } from "../../src/index.ts";

/** Loads a view of the page. */
export async function view(url: string): Promise<{ html: string; policy: string }> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return { html: await response.text(), policy: response.headers.get("content-security-policy") ?? "" };
}

/** Sends a form of the page as a browser without scripts does, and returns the view to which it redirects. */
export async function sendForm(
  sandbox: Sandbox,
  path: string,
  fields: Record<string, string> | string[][] = {},
  from = "/",
): Promise<{ html: string; path: string; redirect: number }> {
  const answer = await fetch(`${sandbox.url}${path}`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: sandbox.url, Referer: `${sandbox.url}${from}` },
    body: new URLSearchParams(fields),
  });
  const location = new URL(answer.headers.get("location") ?? "", sandbox.url);
  const { html } = await view(location.href);
  location.searchParams.delete("flash");
  return { html, path: `${location.pathname}${location.search}`, redirect: answer.status };
}

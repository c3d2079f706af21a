import { renderPhoneLogin } from "@doorcode/browser/server";
import { redirect } from "@sveltejs/kit";
import { login } from "#lib/doorcode.server.ts";
import type { PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ request, url }) => {
  const state = await login.state(request);
  if (state.status === "logged_in") redirect(303, "/account");
  const query = Object.fromEntries(url.searchParams);
  return { html: renderPhoneLogin({ state, offer: login.offer, basePath: "/login", query, done: "/account" }) };
};

import { renderPhoneLogin } from "@doorcode/browser/server";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { login } from "../../doorcode.ts";
import { PhoneLogin } from "./phone-login.tsx";

export default async function LoginPage({ searchParams }: PageProps<"/login">) {
  const state = await login.state({ headers: await headers() });
  if (state.status === "logged_in") redirect("/account");
  const query = await searchParams;
  const html = renderPhoneLogin({ state, offer: login.offer, basePath: "/login", query, done: "/account" });
  return (
    <main>
      <h1>Log in</h1>
      <PhoneLogin html={html} />
    </main>
  );
}

import { getSession } from "@doorcode/fetch";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { doorcode } from "../../doorcode.ts";

export default async function AccountPage() {
  const session = await getSession(doorcode, { headers: await headers() });
  if (!session) redirect("/login?next=/account");
  return (
    <main>
      <h1>Your account</h1>
      <p>You are logged in as {session.userId}.</p>
      <form method="post" action="/login/logout">
        <button type="submit">Log out</button>
      </form>
    </main>
  );
}

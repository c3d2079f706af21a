import { getSession } from "@/lib/session";

export default async function Home() {
  const session = await getSession();
  return <h1>{session ? "Your journal" : "A journal for everybody"}</h1>;
}

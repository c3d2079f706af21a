import { eq } from "drizzle-orm";
import { db } from "@/lib/db";
import { users } from "@/lib/schema";
import { getSession } from "@/lib/session";

export async function GET() {
  const session = await getSession();
  if (!session) return Response.json({ error: "Log in first" }, { status: 401 });
  const [user] = await db.select().from(users).where(eq(users.id, session.userId));
  return Response.json(user);
}

import { db } from "@/lib/db";
import { users } from "@/lib/schema";
import { createSession } from "@/lib/session";

export async function POST(request: Request) {
  const { email } = await request.json();
  const [user] = await db.insert(users).values({ email }).returning();
  if (user) await createSession(user.id);
  return Response.json(user, { status: 201 });
}

import { prisma } from "./prisma.js"; // model User { id String @id @default(uuid()), phone String? @unique }

export async function onLogin({ phone }: { phone: string }): Promise<string> {
  const found = await prisma.user.findUnique({ where: { phone } });
  if (found) return found.id;
  try {
    return (await prisma.user.create({ data: { phone } })).id;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "P2002")) throw error;
    return (await prisma.user.findUniqueOrThrow({ where: { phone } })).id;
  }
}

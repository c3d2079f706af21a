import { createUser } from "../../users.js";

export default async function (fastify) {
  const body = { type: "object", required: ["email"], properties: { email: { type: "string", format: "email" } } };

  fastify.post("/register", { schema: { body } }, async (request, reply) => {
    const user = await createUser({ email: request.body.email });
    await request.session.regenerate();
    request.session.userId = user.id;
    return reply.code(201).send({ id: user.id });
  });

  fastify.post("/logout", async (request, reply) => {
    await request.session.destroy();
    return reply.code(204).send();
  });
}

import { findUserById } from "../../users.js";

export default async function (fastify) {
  fastify.get("/", async (request, reply) => {
    const user = request.session.userId && (await findUserById(request.session.userId));
    return user || reply.code(401).send({ message: "Log in first" });
  });
}

export default async function (fastify) {
  fastify.get("/", async () => ({ root: true }));
}

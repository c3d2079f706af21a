import path from "node:path";
import AutoLoad from "@fastify/autoload";

export default async function (fastify, opts) {
  fastify.register(AutoLoad, {
    dir: path.join(import.meta.dirname, "plugins"),
    options: { ...opts },
  });

  fastify.register(AutoLoad, {
    dir: path.join(import.meta.dirname, "routes"),
    options: { ...opts },
  });
}

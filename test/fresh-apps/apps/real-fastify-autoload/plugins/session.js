import cookie from "@fastify/cookie";
import session from "@fastify/session";
import fp from "fastify-plugin";

export default fp(async (fastify) => {
  await fastify.register(cookie);
  await fastify.register(session, {
    secret: process.env.COOKIE_SECRET ?? "a secret that is only for development",
    saveUninitialized: false,
    cookie: { secure: process.env.NODE_ENV === "production" },
  });
});

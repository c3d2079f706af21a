import { login } from "#lib/doorcode.server.ts";

export const { GET, POST } = login.handlers;

import { webhooks } from "@doorcode/fetch";
import { doorcode } from "#lib/doorcode.server.ts";

export const { POST } = webhooks(doorcode, { basePath: "/webhooks" }).handlers;

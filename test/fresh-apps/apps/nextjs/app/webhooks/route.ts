import { webhooks } from "@doorcode/core/fetch";
import { after } from "next/server";
import { doorcode } from "../../doorcode";

export const { POST } = webhooks(doorcode, { basePath: "/webhooks", waitUntil: after }).handlers;

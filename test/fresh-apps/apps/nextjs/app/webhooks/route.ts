import { webhooks } from "@doorcode/fetch";
import { after } from "next/server";
import { doorcode } from "../../doorcode";

export const { POST } = webhooks(doorcode, { basePath: "/webhooks", waitUntil: after }).handlers;

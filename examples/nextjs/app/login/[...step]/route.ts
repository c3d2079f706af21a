import { login } from "../../../doorcode.ts";

export const { GET, POST } = login.handlers;

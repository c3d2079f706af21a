import { login } from "../../../doorcode";

export const { GET, POST } = login.handlers;

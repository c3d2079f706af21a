import { requireLogin } from "@doorcode/fetch";
import { doorcode, statuses } from "../../doorcode";

const guard = requireLogin(doorcode);

export async function GET(request: Request) {
  const admission = await guard(request);
  return "response" in admission ? admission.response : Response.json({ id: admission.session.userId, statuses });
}

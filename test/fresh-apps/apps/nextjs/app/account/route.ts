import { requireLogin } from "@doorcode/fetch";
import { doorcode, statuses } from "../../doorcode";

const guard = requireLogin(doorcode);

export async function GET(request: Request) {
  const result = await guard(request);
  return "response" in result ? result.response : Response.json({ id: result.session.userId, statuses });
}

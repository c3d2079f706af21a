import {
  cancelLogin,
  confirmTyped,
  type LoginHandler,
  type LoginOutcome,
  type LoginPost,
  resendCode,
  startLogin,
} from "./login-handlers.ts";

/** The handlers of a mount with the purpose `verify`, by their path. There is no session to log out of. */
export const verifyHandlers: ReadonlyMap<string, LoginHandler> = new Map([
  ["/start", droppingProof(startLogin)],
  ["/resend", resendCode],
  ["/confirm", verifyNumber],
  ["/cancel", droppingProof(cancelLogin)],
]);

async function verifyNumber(post: LoginPost): Promise<LoginOutcome> {
  const makeProof = await post.proofs.prepare();
  const { phone, loginId } = await confirmTyped(post, undefined);
  const { state, handout } = await makeProof({ phone, loginId });
  // The page after a form and a reload find the proof in this cookie: in a query it would be in logs and in the history.
  return { state, handouts: [post.carrier.drop(), handout], done: true };
}

/** Lets the browser forget the proof of an earlier number: its person wants another one. */
function droppingProof(handler: LoginHandler): LoginHandler {
  return async (post) => {
    const outcome = await handler(post);
    return { ...outcome, handouts: [...outcome.handouts, post.proofs.drop()] };
  };
}

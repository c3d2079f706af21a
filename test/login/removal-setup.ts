import type { LoginOptions, LoginProof } from "@doorcode/core";
import type { Browser } from "../support/browser.ts";
import { createFailingStore } from "../support/failing-store.ts";
import { newestCode, otherPhone, phone, setUpLogin } from "../support/login-setup.ts";
import type { Platform } from "../support/platforms.ts";

/** The user whose numbers are removed. */
export const user = "user 1";

/** Creates the numbers of one user. The last one cannot be removed. */
export function createNumbers() {
  const numbers = new Set([phone, otherPhone]);
  const onRemove: NonNullable<LoginOptions["onRemove"]> = ({ userId, phone: removed }) => {
    if (userId !== user || !numbers.has(removed)) return "unknown";
    if (numbers.size === 1) return "last_way_in";
    numbers.delete(removed);
    return "removed";
  };
  return { numbers, onRemove };
}

/** Starts two processes of an app whose user has two numbers. The store of the first one fails where a test says. */
export async function setUpRemovals(platform: Platform, login: Partial<LoginOptions> = {}) {
  const learned: LoginProof[] = [];
  const { numbers, onRemove } = createNumbers();
  const app = platform.deploy();
  const failing = createFailingStore(app);
  const given = {
    app,
    account: true,
    login: {
      onLogin: (proof: LoginProof) => {
        learned.push(proof);
        return numbers.has(proof.phone) ? user : `user of ${proof.phone}`;
      },
      onRemove,
      ...login,
    },
  };
  const first = await setUpLogin(platform, { ...given, store: failing.store });
  const second = await setUpLogin(platform, { ...given, service: first.service });
  async function logIn(browser: Browser, number = phone) {
    await app.clock.advance(1000);
    await browser.post("/login/start", { phone: number });
    const { json } = await browser.post("/login/confirm", { code: newestCode(first.service) });
    return json;
  }
  return { ...first, app, failing, second, numbers, onRemove, learned, logIn };
}

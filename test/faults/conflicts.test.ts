import { describe, expect, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { newestCode, wrongCode } from "../support/login-bench.ts";
import { casesOf, openApp } from "./app.ts";
import { describeOnPostgres } from "./ground.ts";

describeOnPostgres("a database whose transactions are serializable", (ground) => {
  const open = async () => {
    const place = await ground().openStore();
    await place.admin.query("ALTER DATABASE postgres SET default_transaction_isolation = serializable");
    return { ...place, conflicts: place.wire.countSaid("C40001") };
  };

  describe.each(casesOf(hosts))("on $on, codes owned by $owner", ({ host, codes }) => {
    test("L2: five of fifty wrong codes that race are judged", async () => {
      const { store, conflicts } = await open();
      const app = await openApp(host, { codes, store });
      const browser = await app.started();
      const racing = Array.from({ length: 50 }, () =>
        browser.copy().post("/login/confirm", { code: wrongCode(app.service) }),
      );
      const answers = (await Promise.all(racing)).map(({ json }) => json.code);

      expect(answers.filter((code) => code === "code_rejected")).toHaveLength(5);
      expect(answers.filter((code) => code === "attempts_exhausted")).toHaveLength(45);
      expect(conflicts.times).toBeGreaterThan(0);
      app.expectSilence();
    });

    test("L2: one of twenty right codes that race logs in", async () => {
      const { store, conflicts } = await open();
      const app = await openApp(host, { codes, store });
      const browser = await app.started();
      const copies = Array.from({ length: 20 }, () => browser.copy());
      const racing = copies.map((copy) => copy.post("/login/confirm", { code: newestCode(app.service) }));
      const answers = await Promise.all(racing);
      const inside = await Promise.all(copies.map((copy) => copy.get("/account")));

      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.map(({ status }) => status)).not.toContain(500);
      expect(inside.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(new Set(app.logins.map(({ loginId }) => loginId)).size).toBe(1);
      expect(conflicts.times).toBeGreaterThan(0);
      app.expectSilence();
    });
  });
});

import { definePhoneLogin, PhoneLogin } from "@doorcode/browser/element";
import { expect, onTestFinished, test, vi } from "vitest";

/** The registry of a page: as in browsers, neither a name nor a class can be defined twice. */
function stubRegistry(): Map<string, unknown> {
  const defined = new Map<string, unknown>();
  const define = (name: string, element: unknown) => {
    if (defined.has(name) || [...defined.values()].includes(element)) throw new Error("NotSupportedError");
    defined.set(name, element);
  };
  vi.stubGlobal("customElements", { get: (name: string) => defined.get(name), define });
  onTestFinished(() => void vi.unstubAllGlobals());
  return defined;
}

test("the element is defined once under a name, and can have several", () => {
  const defined = stubRegistry();
  for (const name of [undefined, undefined, "my-login", "my-login"]) definePhoneLogin(name);
  expect([...defined.keys()]).toEqual(["phone-login", "my-login"]);
  for (const element of defined.values()) expect(Object.getPrototypeOf(element)).toBe(PhoneLogin);
});

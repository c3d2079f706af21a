import { expect, test } from "vitest";
import { readDeviceId } from "../../src/login/device.ts";
import { newRandomText } from "../../src/login/transaction.ts";

test("a device is known by an id of the form that the kit issues, and by no other text", () => {
  const id = newRandomText();
  expect(readDeviceId(id)).toBe(id);
  for (const text of ["", "short", `${id}x`, `x${id}`, `${id.slice(1)}.`, undefined]) {
    expect(readDeviceId(text)).toBeUndefined();
  }
});

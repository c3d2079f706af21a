import { expect } from "vitest";
import {
  alert,
  askForCode,
  codeField,
  countRequests,
  fillIn,
  newPhone,
  paste,
  phoneField,
  sendButton,
  test,
} from "./fixtures.ts";

test("T9: type and autocomplete are tel, with room for passkeys, and without maxlength, mask or placeholder", async ({
  start,
}) => {
  const page = await (await start()).open();
  const names = ["type", "autocomplete", "maxlength", "placeholder", "inputmode", "pattern", "enterkeyhint"];
  const attributes = await Promise.all(names.map((name) => phoneField(page).getAttribute(name)));
  expect(attributes).toEqual(["tel", "tel webauthn", null, null, null, null, "send"]);
});

test("T10: nothing is reformatted while typing, and what was understood is shown after sending", async ({ start }) => {
  const page = await (await start()).open();
  const typed = "0049(0)1512-345.6 111";
  await phoneField(page).focus();
  let expected = "";
  for (const key of typed) {
    await page.keyboard.type(key);
    expected += key;
    expect(await phoneField(page).inputValue()).toBe(expected);
  }
  await phoneField(page).blur();
  expect(await phoneField(page).inputValue()).toBe(typed);
  await sendButton(page).click();
  await page.getByText("We sent a code to +49 1512 3456111.").waitFor();
});

test("T11: every usual way to write a number is taken", async ({ start, sandbox }) => {
  const page = await (await start()).open();
  const spellings = [
    "+49 (0)1512-3456112",
    "0049 1512 3456112",
    "\u202a+49\u00a01512\u00a03456112\u202c",
    "+٤٩ ١٥١٢ ٣٤٥٦١١٢",
    "My number: 01512 3456112, ext 3",
  ];
  for (const spelling of spellings) {
    await phoneField(page).fill(spelling);
    await phoneField(page).press("Enter");
    await page.getByText("We sent a code to +49 1512 3456112.").waitFor();
    await page.getByText("No code?").click();
    await page.getByRole("button", { name: "Change number" }).click();
    await phoneField(page).waitFor();
  }
  // The same number is the same login: one code was sent.
  expect(sandbox.inbox.list({ to: "+4915123456112" })).toHaveLength(1);
});

test("T12: a full number moves the country select when it is pasted, filled in with an event or without one, and typed", async ({
  start,
}) => {
  const page = await (await start()).open();
  const country = () => page.getByLabel("Country").inputValue();
  await page.locator("form[novalidate]").waitFor();
  await paste(page, "phone", "+43 664 1234567");
  expect(await country()).toBe("AT");
  expect(await page.getByText(/^For example/).textContent()).toContain("0664 123456");
  await fillIn(page, "phone", "+41781234567");
  expect(await country()).toBe("CH");
  await fillIn(page, "phone", "+436641234567", ["change"]);
  expect(await country()).toBe("AT");
  await phoneField(page).fill("");
  await phoneField(page).pressSequentially("0041 78");
  expect(await country()).toBe("CH");
  expect(await phoneField(page).evaluate((node) => node === document.activeElement)).toBe(true);
});

test("T13: a calling code without a plus is asked about, and no code is sent", async ({ start, sandbox }) => {
  const page = await (await start()).open();
  await phoneField(page).fill("4915123456789");
  await sendButton(page).click();
  await page.getByText("This number can be read in two ways. Start with + and the country code, or with 0.").waitFor();
  expect(sandbox.inbox.list({ to: "+4915123456789" })).toEqual([]);
  await phoneField(page).fill("+4915123456789");
  await sendButton(page).click();
  await codeField(page).waitFor();
});

test("T15: a country that is not offered is refused before sending, with those that are", async ({ start }) => {
  const page = await (await start()).open();
  const requests = countRequests(page, "/login/start");
  await phoneField(page).pressSequentially("+33 6 12 34 56 78");
  expect(await alert(page).count()).toBe(0);
  await phoneField(page).press("Tab");
  const text = "Phone numbers of this country are not accepted. Accepted: Germany, Austria, and Switzerland.";
  expect(await alert(page).textContent()).toBe(text);
  await sendButton(page).click();
  expect(await alert(page).textContent()).toBe(text);
  expect(requests()).toBe(0);
  await phoneField(page).fill("01512 34");
  expect(await alert(page).count()).toBe(0);
});

test("the number is kept when the code was used up, and when it has expired", async ({ start }) => {
  const page = await (await start({ login: { limits: { attemptsPerTransaction: 1 } } })).open();
  const phone = await askForCode(page, newPhone());
  await codeField(page).pressSequentially("000000");
  await codeField(page).press("Enter");
  await phoneField(page).waitFor();
  expect((await phoneField(page).inputValue()).replaceAll(" ", "")).toBe(phone);
  expect(await alert(page).count()).toBe(1);
});

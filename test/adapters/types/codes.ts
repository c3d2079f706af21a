import { appCodes, type CodeToSend, serviceCodes } from "@doorcode/core";

// One option chooses who words and sends the app's codes, and only what belongs to it goes with it.
appCodes();
appCodes({ template: "login", channels: ["WHATSAPP", "SMS"], codeLength: 8 });
appCodes({ sender: "Example" });
// Each of these may differ by country, and has a default then.
serviceCodes({
  template: { default: "login", IN: { name: "login_in" } },
  channels: { default: ["SMS"], BR: ["WHATSAPP"] },
});
appCodes({ sender: { default: "Example", US: "+18005550123" }, hostLine: { default: true, IN: false } });
// @ts-expect-error a table needs a default
appCodes({ sender: { US: "+18005550123" } });
// @ts-expect-error GB is the ISO 3166 code
serviceCodes({ template: { default: "login", UK: "login_uk" } });
// @ts-expect-error without texts of the app, there is no last line
appCodes({ hostLine: false });
appCodes({ sender: "Example", text: { en: "Your code is {code}." }, host: "app.example.com", channels: ["SMS"] });
appCodes({ send: ({ phone, text, signal }: CodeToSend) => void [phone, text, signal], channels: ["EMAIL"] });
// @ts-expect-error the service sends the text, or the app does
appCodes({ sender: "Example", send: () => undefined });
// @ts-expect-error a text has no sender
appCodes({ text: { en: "Your code is {code}." } });
// @ts-expect-error only texts are bound to a host
appCodes({ host: "app.example.com" });
// @ts-expect-error the service sends messages as SMS only
appCodes({ sender: "Example", channels: ["WHATSAPP"] });
// @ts-expect-error every purpose has at least the text of a login
appCodes({ sender: "Example", text: { en: { link: "Your code is {code}." } } });
// @ts-expect-error the service owns the code, and words it
serviceCodes({ template: "login", send: () => undefined });

// A sender says what became of the code: nothing, if it was accepted. It need not be asynchronous, and need not return.
appCodes({ send: () => {} });
appCodes({ send: ({ channel }) => (channel === "SMS" ? undefined : "refused") });
// @ts-expect-error the answer of a provider says nothing until the app has read it
appCodes({ send: () => fetch("https://sms.example/send") });
// @ts-expect-error there is no such answer
appCodes({ send: () => "failed" });

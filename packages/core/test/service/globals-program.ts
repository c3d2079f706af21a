/*
 * An app that asks the service for its messages, and then says what has changed on `globalThis`. It runs on the Node that starts it, and
 * loads nothing before: Node sets its own dispatchers when the app uses its HTTP for the first time.
 */

// The URL of the service, and the version of undici's dispatcher that the app has set, as `setGlobalDispatcher` of that version does.
const [baseUrl = "", version] = process.argv.slice(2);
const names = ["undici.globalDispatcher.1", "undici.globalDispatcher.2"];
const dispatcher = {
  dispatch() {
    throw new Error("the dispatcher of the app");
  },
};
if (version !== undefined) {
  const property = { value: dispatcher, writable: true, enumerable: false, configurable: false };
  Object.defineProperty(globalThis, Symbol.for(`undici.globalDispatcher.${version}`), property);
}

const describeGlobals = () => ({
  keys: Reflect.ownKeys(globalThis),
  dispatchers: names.map((name) => Reflect.get(globalThis, Symbol.for(name))),
});

const before = describeGlobals();
const { createDoorcode } = await import("@doorcode/core");
const doorcode = createDoorcode({ service: { baseUrl, apiKey: "sk_of_the_app" } });
await doorcode.messages.list();
const after = describeGlobals();
// Node's own `fetch` asks the dispatcher of version 1.
const fetched = await fetch(baseUrl).then(
  () => "sent",
  (error: Error) => String((error.cause as Error | undefined)?.message ?? error.message),
);
await doorcode.close();

const found = {
  node: process.versions.node,
  added: after.keys.filter((key) => !before.keys.includes(key)).map(String),
  replaced: names.filter((_name, index) => after.dispatchers[index] !== before.dispatchers[index]),
  fetched,
};
process.stdout.write(JSON.stringify(found));

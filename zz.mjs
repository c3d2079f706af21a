import { chromium } from "playwright-core";

const b = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox"] });
const p = await b.newPage({ viewport: { width: 1280, height: 800 } });
const u = "http://localhost:3420/operations";
for (const [n, v] of JSON.parse(process.argv[2])) {
  await p.goto(u + v);
  await p.screenshot({ path: `/tmp/s-${n}.png`, fullPage: true });
}
await b.close();

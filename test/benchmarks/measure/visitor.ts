import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** The origin of the pages in all programs, as it is behind a proxy that ends TLS. */
export const origin = "https://app.example.com";

let addresses = 0;

/** A person with a browser: its cookies, and an address of its own, so that people do not wait for the counters of each other. */
export class Visitor {
  readonly cookies: Map<string, string> = new Map();
  readonly #address: string;
  readonly #port: number;

  /** @param index - the person, for one who comes again from the same address. */
  constructor(port: number, index: number = addresses++) {
    this.#address = addressOf(index);
    this.#port = port;
  }

  /** The cookies, as a request carries them. */
  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** Posts JSON as a page does, keeps the cookies of the answer, and rejects if its status is not 200. */
  post(path: string, body: object): Promise<void> {
    const text = JSON.stringify(body);
    const headers = {
      host: new URL(origin).host,
      origin,
      "sec-fetch-site": "same-origin",
      "x-forwarded-for": this.#address,
      "x-forwarded-proto": "https",
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      ...(this.cookies.size > 0 && { cookie: this.cookie }),
    };
    return new Promise((resolve, reject) => {
      const sent = request({ agent, host: "127.0.0.1", port: this.#port, method: "POST", path, headers }, (answer) => {
        let received = "";
        answer.setEncoding("utf8").on("data", (chunk) => (received += chunk));
        answer.on("end", () => {
          if (answer.statusCode !== 200) reject(new Error(`${path} answered ${answer.statusCode}: ${received}`));
          this.#keep(answer.headers["set-cookie"] ?? []);
          resolve();
        });
      });
      sent.once("error", reject).end(text);
    });
  }

  #keep(written: readonly string[]): void {
    for (const cookie of written) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

/** An address of a network that few others are of. */
function addressOf(index: number): string {
  const spread = index * 257;
  return `10.${(spread >> 16) & 255}.${(spread >> 8) & 255}.${spread & 255}`;
}

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** The certificate and key of a TLS server, as PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** Creates with `openssl` a self-signed certificate for localhost, and one for localhost that an authority has signed. */
export async function createCertificates(): Promise<{ selfSigned: Identity; signed: Identity; authority: string }> {
  const folder = await mkdtemp(join(tmpdir(), "doorcode-certificates-"));
  const openssl = (...args: string[]) => run("openssl", args, { cwd: folder });
  const read = (name: string) => readFile(join(folder, name), "utf8");
  try {
    const name = "subjectAltName=DNS:localhost";
    const selfSigned = ["-subj", "/CN=localhost", "-addext", name, "-keyout", "self.key", "-out", "self.pem"];
    await openssl("req", "-x509", ...newKey, ...selfSigned);
    await openssl("req", "-x509", ...newKey, "-subj", "/CN=Authority", "-keyout", "ca.key", "-out", "ca.pem");
    await openssl("req", ...newKey, "-subj", "/CN=localhost", "-keyout", "leaf.key", "-out", "leaf.csr");
    await writeFile(join(folder, "leaf.ext"), name);
    const signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "leaf.ext"];
    await openssl("x509", "-req", "-in", "leaf.csr", ...signing, "-out", "leaf.pem");
    return {
      selfSigned: { cert: await read("self.pem"), key: await read("self.key") },
      signed: { cert: await read("leaf.pem"), key: await read("leaf.key") },
      authority: await read("ca.pem"),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

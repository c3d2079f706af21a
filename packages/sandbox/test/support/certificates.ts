import { generate } from "selfsigned";

type Options = NonNullable<Parameters<typeof generate>[1]>;
type Extension = NonNullable<Options["extensions"]>[number];

/** The certificate and key of a TLS server, as PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** Creates a self-signed certificate for localhost, and one for localhost that an authority has signed. */
export async function createCertificates(): Promise<{ selfSigned: Identity; signed: Identity; authority: string }> {
  const authority = await create("Authority", { name: "basicConstraints", cA: true, critical: true });
  const localhost: Extension = { name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] };
  return {
    selfSigned: await create("localhost", localhost),
    signed: await create("localhost", localhost, authority),
    authority: authority.cert,
  };
}

async function create(value: string, extension: Extension, ca?: Identity): Promise<Identity> {
  const options: Options = { keyType: "ec", algorithm: "sha256", extensions: [extension], ...(ca && { ca }) };
  const { cert, private: key } = await generate([{ name: "commonName", value }], options);
  return { cert, key };
}

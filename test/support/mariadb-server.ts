import { createConnection } from "mysql2/promise";

/** Finds the MariaDB that the tests may use: `TEST_MARIADB_URL`, else one on loopback whose root needs no password. */
export async function findMariadb(): Promise<string | undefined> {
  const url = process.env.TEST_MARIADB_URL ?? "mysql://root@127.0.0.1:3306/test";
  try {
    const connection = await createConnection({ uri: url, connectTimeout: 2000 });
    await connection.end();
    return url;
  } catch {
    return undefined;
  }
}

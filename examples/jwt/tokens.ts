import { createHash, randomBytes, randomUUID } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import type { Pool } from "pg";

/** One row for each login. The table holds the digest of the refresh token that is valid now, and none of the access tokens. */
export const createTable = `CREATE TABLE IF NOT EXISTS logins (
  id uuid PRIMARY KEY, user_id text NOT NULL, proven_at bigint, refresh_digest text NOT NULL, expires_at timestamptz NOT NULL
)`;

/** A login, as an access token names it. */
export interface NamedLogin {
  readonly userId: string;
  readonly provenAt: number | undefined;
  readonly sessionId: string;
}

/** What a client gets after a login and after each refresh. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
}

/** The access and refresh tokens of an app. */
export interface Tokens {
  start(login: Pick<NamedLogin, "userId" | "provenAt">): Promise<TokenPair>;
  /** Exchanges a refresh token for a new pair. One that was used before ends its login: a thief has it, or its owner had. */
  refresh(refreshToken: string): Promise<TokenPair | undefined>;
  /** Reads the header `Authorization`. After a logout an access token stays valid until it expires. */
  read(authorization: string | undefined): Promise<NamedLogin | undefined>;
  /** Ends the login that the header names, also if its access token has expired. */
  end(authorization: string | undefined): Promise<void>;
}

const accessSeconds = 600;
const refreshSeconds = 30 * 86_400;

/** @param secret - at least 32 random characters, for access tokens alone. */
export function createTokens(pool: Pool, secret: string): Tokens {
  const key = new TextEncoder().encode(secret);

  async function pairOf({ userId, provenAt, sessionId }: NamedLogin, refreshToken: string): Promise<TokenPair> {
    const jwt = new SignJWT({ provenAt, sid: sessionId }).setProtectedHeader({ alg: "HS256" }).setSubject(userId);
    const accessToken = await jwt.setIssuedAt().setExpirationTime(`${accessSeconds}s`).sign(key);
    return { accessToken, refreshToken, expiresInSeconds: accessSeconds };
  }

  async function readLate(authorization: string | undefined, clockTolerance: number): Promise<NamedLogin | undefined> {
    const token = authorization?.match(/^Bearer (.+)$/)?.[1] ?? "";
    const options = { algorithms: ["HS256"], clockTolerance };
    const verified = await jwtVerify<{ sid: string; provenAt?: number }>(token, key, options).catch(() => undefined);
    const { sub, sid, provenAt } = verified?.payload ?? {};
    return sub === undefined || sid === undefined ? undefined : { userId: sub, provenAt, sessionId: sid };
  }

  const endById = (id: string) => pool.query("DELETE FROM logins WHERE id = $1", [id]);

  return {
    async start({ userId, provenAt }) {
      const sessionId = randomUUID();
      const refreshToken = newRefreshToken(sessionId);
      const insert = `INSERT INTO logins (id, user_id, proven_at, refresh_digest, expires_at)
        VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`;
      await pool.query(insert, [sessionId, userId, provenAt, digestOf(refreshToken), refreshSeconds]);
      return pairOf({ userId, provenAt, sessionId }, refreshToken);
    },

    async refresh(refreshToken) {
      const id = refreshToken.match(/^([0-9a-f-]{36})\./)?.[1];
      if (id === undefined) return undefined;
      const next = newRefreshToken(id);
      // One statement decides: of two requests with one token only the first finds its digest.
      const exchange = `UPDATE logins SET refresh_digest = $3
        WHERE id = $1 AND refresh_digest = $2 AND expires_at > now() RETURNING user_id, proven_at`;
      const { rows } = await pool.query(exchange, [id, digestOf(refreshToken), digestOf(next)]);
      const [row] = rows;
      if (!row) {
        await endById(id);
        return undefined;
      }
      const provenAt = row.proven_at === null ? undefined : Number(row.proven_at);
      return pairOf({ userId: row.user_id, provenAt, sessionId: id }, next);
    },

    read: (authorization) => readLate(authorization, 0),

    async end(authorization) {
      const login = await readLate(authorization, refreshSeconds);
      if (login) await endById(login.sessionId);
    },
  };
}

function newRefreshToken(id: string): string {
  return `${id}.${randomBytes(32).toString("base64url")}`;
}

function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

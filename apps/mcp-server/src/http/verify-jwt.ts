import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from "jose";
import * as z from "zod";
import { type Access, projectsIn, scopesIn, tenantIn } from "./access.ts";

/** Algorithms with a public key; with a shared secret, every server that checks a token could make one. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];
/** Codes of errors that a token causes; the others are of fetching the keys. */
const WRONG_TOKEN = /^ERR_(?:JWT|JWS|JOSE_ALG|JOSE_NOT|JWKS_NO|JWKS_MULTIPLE)_/u;
const TIMEOUT_MS = 5_000;

const metadata = z.looseObject({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/u }) });

/** Claims of JWTs that restrict their holders. */
export interface RestrictingClaims {
  /** Claim with the tenant of the caller. Absent: callers use the server's own. */
  readonly tenant?: string | undefined;
  /** Claim with the projects of the caller. Absent: callers have a right to the whole store. */
  readonly projects?: string | undefined;
}

/** Checks JWTs of one authorization server for one resource. The keys are fetched when the first token comes. */
export class JwtVerifier {
  readonly #issuer: string;
  readonly #resource: string;
  readonly #claims: RestrictingClaims;
  #keys: Promise<JWTVerifyGetKey> | undefined;

  constructor(issuer: URL, resource: string, claims: RestrictingClaims = {}) {
    this.#claims = claims;
    // As issuers write themselves, without a slash that a URL adds to a bare host.
    this.#issuer = issuer.pathname === "/" ? issuer.origin : issuer.href;
    this.#resource = resource;
  }

  /** Returns the access that a token gives; `undefined` for a token that is wrong. Rejects when the keys cannot be fetched. */
  async verify(token: string): Promise<Access | undefined> {
    const keys = await this.#fetchedKeys();
    try {
      const issuer = [this.#issuer, `${this.#issuer}/`];
      const checks = { issuer, audience: this.#resource, algorithms: ALGORITHMS, requiredClaims: ["exp"] };
      const { payload } = await jwtVerify(token, keys, checks);
      return accessOf(payload, this.#claims);
    } catch (error) {
      if (error instanceof errors.JOSEError && WRONG_TOKEN.test(error.code)) return undefined;
      throw error;
    }
  }

  /** Fetches the keys once, and again after a failure. */
  async #fetchedKeys(): Promise<JWTVerifyGetKey> {
    this.#keys ??= findKeys(this.#issuer);
    try {
      return await this.#keys;
    } catch (error) {
      this.#keys = undefined;
      throw error;
    }
  }
}

/** A token without a claim that it must have is wrong. */
function accessOf(payload: JWTPayload, claims: RestrictingClaims): Access | undefined {
  const { sub, client_id: client, exp = 0, scope, scp } = payload;
  const words = typeof scope === "string" ? scope.split(" ") : Array.isArray(scp) ? scp : [];
  const access = { name: sub ?? (typeof client === "string" ? client : "jwt"), scopes: scopesIn(words), expiresAt: exp };
  const tenant = claims.tenant === undefined ? undefined : tenantIn(payload[claims.tenant]);
  const projects = claims.projects === undefined ? undefined : projectsIn(payload[claims.projects]);
  if (claims.tenant !== undefined && tenant === undefined) return undefined;
  if (claims.projects !== undefined && projects === undefined) return undefined;
  return { ...access, tenant, projects };
}

/** Finds the address of the keys in the metadata of the issuer (RFC 8414, or OpenID Connect Discovery). */
async function findKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/u, "");
  const places = [`${origin}/.well-known/oauth-authorization-server${path}`, `${origin}${path}/.well-known/openid-configuration`];
  for (const place of places) {
    const response = await fetch(place, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "error" });
    if (!response.ok) continue;
    const found = metadata.parse(await response.json());
    if (found.issuer.replace(/\/$/u, "") !== issuer.replace(/\/$/u, "")) throw new Error(`${place} is of another issuer.`);
    return createRemoteJWKSet(new URL(found.jwks_uri), { timeoutDuration: TIMEOUT_MS });
  }
  throw new Error(`The issuer has no metadata at ${places.join(" or ")}.`);
}

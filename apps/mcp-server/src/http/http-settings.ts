import { invalidInput } from "@workrail/core";
import type { SettingValues } from "@workrail/runtime";

/** Settings of the HTTP server, checked. */
export interface HttpSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Address for clients; absent: made from the host and the port that the server listens on. */
  readonly url: URL | undefined;
  /** Host names besides loopback that requests may be addressed to. */
  readonly hosts: readonly string[];
  /** Host names besides loopback of web pages that may send requests. */
  readonly origins: readonly string[];
  readonly tokenFile: string | undefined;
  readonly issuer: URL | undefined;
  /** Claim of a JWT with the only projects of its holder. Absent: JWTs are good for the whole store. */
  readonly projectsClaim?: string | undefined;
  /** Claim of a JWT with the tenant of its holder. Absent: JWTs are for the server's own tenant. */
  readonly tenantClaim?: string | undefined;
  /** 0: no limit. */
  readonly requestsAMinute: number;
}

/** Path of the protocol's endpoint. */
export const ENDPOINT = "/mcp";

/** Path of the library's operations. */
export const LIBRARY = "/library";

/**
 * Checks the settings of the HTTP server.
 *
 * @throws INVALID_INPUT naming the setting, also for an address other than loopback without tokens.
 */
export function httpSettingsOf(values: SettingValues): HttpSettings {
  const { host, port } = parseListen(values.http ?? "");
  const { httpUrl, httpTokenFile: tokenFile, httpIssuer } = values;
  const url = httpUrl === undefined ? undefined : new URL(httpUrl);
  if (url !== undefined && url.pathname !== ENDPOINT && !url.pathname.endsWith(ENDPOINT))
    throw invalidInput(
      "httpUrl",
      `httpUrl must end with ${ENDPOINT}.`,
      `Set it to the address that clients use, such as https://example.com${ENDPOINT}.`,
    );
  const issuer = httpIssuer === undefined ? undefined : new URL(httpIssuer);
  if (issuer !== undefined && issuer.protocol !== "https:" && !isLoopback(bare(issuer.hostname)))
    throw invalidInput("httpIssuer", "httpIssuer must begin with https.", "Keys fetched without encryption prove nothing.");
  if (issuer !== undefined && url === undefined)
    throw invalidInput(
      "httpUrl",
      "httpIssuer needs httpUrl.",
      "An issuer makes tokens for one address: set httpUrl to that of this server.",
    );
  if (!isLoopback(host) && tokenFile === undefined && issuer === undefined) {
    throw invalidInput(
      "http",
      `${host} can be reached from other machines, so callers must prove who they are.`,
      "Make a token with `workrail-mcp token create` and set httpTokenFile, or set httpIssuer; or listen on 127.0.0.1.",
    );
  }
  const own = url === undefined ? [] : [url.hostname];
  return {
    host,
    port,
    url,
    hosts: [...own, ...(isWildcard(host) ? [] : [bracketedHost(host)]), ...namesIn(values.httpHosts)],
    origins: [...own, ...namesIn(values.httpOrigins)],
    tokenFile,
    issuer,
    projectsClaim: values.httpProjectsClaim,
    tenantClaim: values.httpTenantClaim,
    requestsAMinute: values.httpRateLimit,
  };
}

/** @throws INVALID_INPUT unless the text is host:port or a port. */
function parseListen(text: string): { readonly host: string; readonly port: number } {
  const [, host = "127.0.0.1", port = ""] = /^(?:(\[[0-9a-f:.]+\]|[^:[\]/\s]+):)?(\d{1,5})$/iu.exec(text) ?? [];
  if (port === "" || Number(port) > 65_535)
    throw invalidInput("http", `http must be host:port or a port, not ${JSON.stringify(text)}.`, "Such as 127.0.0.1:8377.");
  return { host: bare(host), port: Number(port) };
}

function namesIn(text = ""): readonly string[] {
  return text
    .split(/[\s,]+/u)
    .filter((name) => name !== "")
    .map((name) => name.toLowerCase());
}

/** Tells whether only this machine can reach a host. */
function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/u.test(host);
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

function bare(host: string): string {
  return host.replaceAll(/[[\]]/gu, "");
}

/** Writes a host as in an address, with brackets for IPv6. */
export function bracketedHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

import { isAbsolute } from "node:path";
import type { Tool } from "../tool.ts";

/** Rights of a caller: `read` calls tools that only read, `admin` those that delete for good, `write` all others. */
export const SCOPES = ["read", "write", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** Absolute paths. */
export type Projects = readonly [string, ...string[]];

/** The caller of a request, as its token proves. */
export interface Access {
  /** Name of the token, or subject of the JWT. */
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Tenant whose store the caller uses. Absent: the server's own tenant. */
  readonly tenant?: string | undefined;
  /** The only projects that exist for the caller, the default first. Absent: the whole store of the tenant. */
  readonly projects?: Projects | undefined;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** Returns the right that a tool needs. */
export function scopeOf({ annotations }: Tool): Scope {
  if (annotations.readOnlyHint) return "read";
  return annotations.destructiveHint ? "admin" : "write";
}

/** Returns the projects that a token lists; `undefined` unless they are one or more absolute paths. */
export function projectsIn(listed: unknown): Projects | undefined {
  const all: readonly unknown[] = Array.isArray(listed) ? listed : [listed];
  const isEach = all.every((each) => typeof each === "string" && isAbsolute(each) && !each.includes("\0"));
  return isEach && all.length > 0 ? (all as unknown as Projects) : undefined;
}

/** Returns the tenant that a token names; `undefined` unless it is a name. */
export function tenantIn(named: unknown): string | undefined {
  return typeof named === "string" && named !== "" && named.length <= LONGEST_TENANT ? named : undefined;
}

const LONGEST_TENANT = 128;

/** Returns the known rights among some words; other words are rights of other servers. */
export function scopesIn(words: readonly unknown[]): ReadonlySet<Scope> {
  return new Set(SCOPES.filter((scope) => words.includes(scope)));
}

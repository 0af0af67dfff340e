import type { Tool } from "../tool.ts";

/** Rights of a caller: `read` calls tools that only read, `admin` those that delete for good, `write` all others. */
export const SCOPES = ["read", "write", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** The caller of a request, as its token proves. */
export interface Access {
  /** Name of the token, or subject of the JWT. */
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** Returns the right that a tool needs. */
export function scopeOf({ annotations }: Tool): Scope {
  if (annotations.readOnlyHint) return "read";
  return annotations.destructiveHint ? "admin" : "write";
}

/** Returns the known rights among some words; other words are rights of other servers. */
export function scopesIn(words: readonly unknown[]): ReadonlySet<Scope> {
  return new Set(SCOPES.filter((scope) => words.includes(scope)));
}

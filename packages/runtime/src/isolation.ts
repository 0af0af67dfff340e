import { invalidInput } from "@workrail/core";
import type { Isolation } from "./config/setting-table.ts";

/** Where somebody looks: in one project alone, or everywhere, in one project first. Neither: everywhere alike. */
export interface Scope {
  readonly only?: string | undefined;
  readonly first?: string | undefined;
}

/** What somebody names who looks for something. */
export interface Asked {
  /** `null`: whatever the project. */
  readonly project?: string | null | undefined;
  readonly sessionId?: string | undefined;
}

/**
 * Where to look for what is asked for. Naming a project or a session is asking for it, whoever it belongs to; everything at once is
 * not to be had where projects are isolated.
 *
 * @param own the project that the store is used from.
 * @param field what the caller calls the project.
 * @throws INVALID_INPUT where projects are isolated, and none is named or to be had.
 */
export function scopeOf(isolation: Isolation, own: string | undefined, { project, sessionId }: Asked, field = "project"): Scope {
  if (typeof project === "string") return { only: project };
  if (sessionId !== undefined) return {};
  if (isolation !== "strict") return project === null || isolation === "off" ? {} : { first: own };
  if (project === null)
    throw invalidInput(field, "Projects are isolated from each other, so not all of them can be looked into at once.", HINT);
  if (own === undefined) throw invalidInput(field, `${field} must be given: projects are isolated, and the server runs in none`, HINT);
  return { only: own };
}

const HINT = "Name a project or a session, or set WORKRAIL_PROJECT. WORKRAIL_ISOLATION=own-first shows the other projects, too.";

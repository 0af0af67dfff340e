import path from "node:path";
import { asSpelled } from "@workrail/blob-files";
import { invalidInput, WorkrailError } from "@workrail/core";
import type { Isolation } from "./config/setting-table.ts";
import { parseProject } from "./parse-project.ts";
import { type CallerPlace, parsePlace } from "./remote/caller-place.ts";

/** Scope of a lookup: one project only, or everywhere with one project first. With neither field: all projects alike. */
export interface Scope {
  readonly only?: string | undefined;
  readonly first?: string | undefined;
}

/** The scope that a caller names. */
export interface NamedScope {
  /** `null`: all projects. */
  readonly project?: string | null | undefined;
  readonly sessionId?: string | undefined;
}

interface Bounds {
  readonly isolation: Isolation;
  /** Project of the store. */
  readonly own: string | undefined;
}

/**
 * Returns the scope of a lookup. A project or session that the caller names is always accessible. Strict isolation refuses a lookup of all
 * projects at once.
 *
 * @param field name of the project parameter in the caller's words.
 * @throws INVALID_INPUT with strict isolation, when no project is named and the store has none.
 */
export function scopeOf({ isolation, own }: Bounds, { project, sessionId }: NamedScope, field = "project"): Scope {
  if (typeof project === "string") return { only: project };
  if (sessionId !== undefined) return {};
  if (isolation !== "strict") return project === null || isolation === "off" ? {} : { first: own };
  if (project === null) throw invalidInput(field, "Projects are isolated from each other, so one call cannot read all of them.", HINT);
  if (own === undefined)
    throw invalidInput(field, `${field} must be given: projects are isolated, and the server runs outside of a project`, HINT);
  return { only: own };
}

const HINT = "Name a project or a session, or set WORKRAIL_PROJECT. WORKRAIL_ISOLATION=own-first shows the other projects, too.";

/** A caller, given once for all calls that follow. */
export interface Caller {
  /**
   * Absolute paths of the only projects that exist for the caller. Saves go to the first unless they name another. Default: the caller has a
   * right to the whole store.
   */
  readonly projects?: Confined["projects"] | undefined;
  /** Name of the caller, proved by a token. Each audit row of the caller's operations has it. Default: none. */
  readonly subject?: string | undefined;
  /** Facts about the machine of a remote caller, used instead of reads of this machine's disk. Default: the caller is on this machine. */
  readonly place?: CallerPlace | undefined;
}

/** The right of a caller to some projects only. */
export interface Confined {
  readonly projects: readonly [string, ...string[]];
}

/** Checks a caller. @throws INVALID_INPUT unless its projects, if any, are absolute paths, and its subject, if any, is a name. */
export function parseCaller({ projects, subject, place }: Caller): Caller {
  if (subject === "") throw invalidInput("subject", "subject must be a name.", "Leave it out for a caller without a token.");
  return {
    ...(projects === undefined ? {} : confined({ projects })),
    ...(subject === undefined ? {} : { subject }),
    ...(place === undefined ? {} : { place: parsePlace(place) }),
  };
}

function confined({ projects }: Confined): Confined {
  const [first, ...others] = projects.map((project) => asSpelled(path.resolve(parseProject(project))));
  if (first === undefined) throw invalidInput("projects", "projects must name at least one project.", "Name the projects of the caller.");
  return { projects: [first, ...new Set(others.filter((project) => project !== first))] };
}

/** Returns the error for an operation on the whole store, called by someone with a right to some projects. */
export function needsWholeStore(operation: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `${operation} needs access to the whole store, and you have access to some projects only.`, {
    details: { field: "projects" },
    hint: "Ask someone with access to the whole store.",
  });
}

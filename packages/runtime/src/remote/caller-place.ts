import { parseContextRules } from "@workrail/classifier/rules";
import {
  checkPath,
  type ContextRules,
  GIT_STATE,
  type GitState,
  gitStateOf,
  type IdGenerator,
  invalidInput,
  isJsonObject,
  parseCheckpointId,
  parseSessionId,
  uuidOf,
} from "@workrail/core";
import type { Drift } from "../resume/find-drift.ts";
import type { Parts } from "../tokens.ts";

/** Facts about the machine of a caller, gathered there. Nothing on the disk of the store's machine stands in for them. */
export interface CallerPlace {
  /** Root of the caller's project, spelled as there. */
  readonly project?: string | undefined;
  /** State of the repository. */
  readonly git?: GitState | undefined;
  /** Context rules of the project's file. */
  readonly rules?: ContextRules | undefined;
  /** Why that file is ignored. */
  readonly rulesWarning?: string | undefined;
  /** Changes in the repository since a checkpoint was saved. */
  readonly drift?: DriftSince | undefined;
  /** The same in each repetition of a call: a repeated save is recognised by it. */
  readonly callId?: string | undefined;
}

/** Changes in the repository since this checkpoint was saved, for a call that resumes from it. */
export interface DriftSince {
  readonly checkpointId: string;
  readonly drift: Drift;
}

const LONGEST_WARNING = 1_000;
/** Characters of JSON. A drift names at most 30 files. */
const LONGEST_DRIFT = 50_000;

/** Checks untrusted facts about another machine. @throws INVALID_INPUT */
export function parsePlace(given: unknown): CallerPlace {
  if (typeof given !== "object" || given === null) throw invalidInput("place", "place must be an object.");
  const { project, git, rules, rulesWarning, drift, callId }: { readonly [Field in keyof CallerPlace]?: unknown } = given;
  if (project !== undefined) checkPath(project as string, "project");
  const attributes = isJsonObject(git) ? { [GIT_STATE]: git } : {};
  return {
    project: project as string | undefined,
    git: gitStateOf({ attributes, project: undefined }),
    rules: rules === undefined ? undefined : parseContextRules(rules),
    rulesWarning: typeof rulesWarning === "string" ? rulesWarning.slice(0, LONGEST_WARNING) : undefined,
    drift: isDriftSince(drift) ? drift : undefined,
    callId: typeof callId === "string" ? callId.slice(0, LONGEST_WARNING) : undefined,
  };
}

function isDriftSince(given: unknown): given is DriftSince {
  if (!isJsonObject(given) || typeof given["checkpointId"] !== "string" || JSON.stringify(given).length > LONGEST_DRIFT) return false;
  const { drift } = given;
  if (!isJsonObject(drift) || typeof drift["says"] !== "string") return false;
  const { files = {} } = drift;
  return (
    isJsonObject(files) && [files["changed"], files["renamed"], files["deleted"]].every((each) => each === undefined || Array.isArray(each))
  );
}

/** Returns the ids that a call gives to new things, in their order: the same when it is repeated, and none that its caller can choose. */
export function idsOf(callId: string, subject: string | undefined, { digests }: Pick<Parts, "digests">): IdGenerator {
  let count = 0;
  const made = (kind: string): string => uuidOf(digests.sha256(JSON.stringify(["call", kind, count++, subject ?? null, callId])));
  return { sessionId: () => parseSessionId(made("session")), checkpointId: () => parseCheckpointId(made("checkpoint")) };
}

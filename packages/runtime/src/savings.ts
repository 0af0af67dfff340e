import type { CheckpointMetadata } from "./context-management-service.ts";
import { type HookRun, readRuns } from "./hooks/hook-log.ts";
import { hookPlaces } from "./hooks/hook-places.ts";
import { parsePeriod } from "./parse-time.ts";
import type { Workrail } from "./workrail.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const USUAL_DAYS = 30;

/** The data directory, and the period and project or session to count. */
export interface SavingsParams {
  readonly dataDir: string;
  /** ISO 8601. Default: 30 days ago. */
  readonly since?: string | undefined;
  /** Only this session, whatever its project. */
  readonly sessionId?: string | undefined;
  /** `undefined`: all projects. */
  readonly project?: string | undefined;
  readonly now: Date;
}

/** Resume packs that hooks gave to models. Tokens are estimates, not counts by the model's tokenizer. */
export interface Resumes {
  readonly resumes: number;
  readonly packTokensEstimated: number;
  /** Tokens of the transcripts that the packs replace, where the log has them. */
  readonly transcriptTokensEstimated: number;
}

/** The use of automatic saves and resumes. */
export interface Savings extends Resumes {
  /** ISO 8601. */
  readonly since: string;
  /** ISO 8601. The oldest run of a hook in the log; resumes before it are not counted. */
  readonly logSince?: string | undefined;
  /** Checkpoints that are still in the store. */
  readonly savesByHooks: number;
  /** Checkpoints by agents, people and imports. */
  readonly savesByOthers: number;
  readonly hosts: readonly HostSavings[];
}

/** The use of automatic saves and resumes for one host. */
export interface HostSavings extends Resumes {
  readonly host: string;
  readonly saves: number;
  /** ISO 8601. */
  readonly lastSaveAt?: string | undefined;
}

/** Counts automatic saves and resumes, as `readSavings` of the library describes. */
export async function readSavings(store: Pick<Workrail, "eachCheckpoint">, params: SavingsParams): Promise<Savings> {
  const since = (parsePeriod(params).since ?? new Date(params.now.getTime() - USUAL_DAYS * DAY_MS)).toISOString();
  const known = readRuns(hookPlaces(params.dataDir));
  const packs = known.filter((run) => run.packTokens !== undefined && run.at >= since && isAskedFor(run, params));
  const saves = await savesIn(store, { ...params, since });
  const byHooks = saves.filter(isByHook);
  const hosts = [...new Set([...byHooks.map(hostOf), ...packs.map(({ host }) => host)])].toSorted();
  return {
    since,
    ...(known[0] === undefined ? {} : { logSince: known[0].at }),
    ...sumOf(packs),
    savesByHooks: byHooks.length,
    savesByOthers: saves.length - byHooks.length,
    hosts: hosts.map((host) => ofHost(host, { packs, byHooks })),
  };
}

function isAskedFor(run: HookRun, { sessionId, project }: SavingsParams): boolean {
  if (sessionId !== undefined) return run.sessionId === sessionId;
  return project === undefined || run.project === project;
}

/** Leaves out conversations that hooks save: each belongs to another save of the hook. */
async function savesIn(store: Pick<Workrail, "eachCheckpoint">, params: SavingsParams): Promise<readonly CheckpointMetadata[]> {
  const { since, sessionId, project = null } = params;
  const asked = { since, ...(sessionId === undefined ? { project } : { sessionId }) };
  const found: CheckpointMetadata[] = [];
  for await (const save of store.eachCheckpoint(asked)) if (save.kind !== "conversation" || !isByHook(save)) found.push(save);
  return found;
}

function isByHook({ tags = [], attributes }: CheckpointMetadata): boolean {
  return tags.includes("hook") && typeof attributes?.["savedBy"] === "string";
}

function hostOf({ attributes, agentId }: CheckpointMetadata): string {
  const host = attributes?.["host"];
  return typeof host === "string" ? host : (agentId ?? "unknown");
}

function ofHost(
  host: string,
  { packs, byHooks }: { readonly packs: readonly HookRun[]; readonly byHooks: readonly CheckpointMetadata[] },
): HostSavings {
  const own = byHooks.filter((save) => hostOf(save) === host);
  const last = own
    .map(({ createdAt }) => createdAt)
    .toSorted()
    .at(-1);
  return {
    host,
    saves: own.length,
    ...(last === undefined ? {} : { lastSaveAt: last }),
    ...sumOf(packs.filter((run) => run.host === host)),
  };
}

function sumOf(packs: readonly HookRun[]): Resumes {
  return {
    resumes: packs.length,
    packTokensEstimated: packs.reduce((sum, { packTokens = 0 }) => sum + packTokens, 0),
    transcriptTokensEstimated: packs.reduce((sum, { transcriptTokens = 0 }) => sum + transcriptTokens, 0),
  };
}

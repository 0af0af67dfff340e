import { WorkrailError } from "../../errors.ts";
import { CHECKPOINT_KINDS, type CheckpointRecord } from "../../model/checkpoint.ts";
import { isCheckpointId, type SessionId } from "../../model/ids.ts";
import { editDistance } from "../../words/alike.ts";
import { type CheckpointFilter, findCheckpoint, queryCheckpoints } from "../../catalog/queries/query-checkpoints.ts";
import type { ListPorts } from "./list-checkpoints.ts";
import { checkpointNotFound, inWords, type LikelyCheckpoint, unknownCheckpoint } from "./load-checkpoint.ts";
import { eachRecord, eachTrashed } from "../remove/view-store.ts";

export interface ResolveInput {
  /** An id, at least 4 of its first characters, `latest`, or `latest~2`: two before the latest. */
  readonly reference: string;
  /** Only checkpoints of this session. */
  readonly sessionId?: SessionId | undefined;
  /** Called only when the reference is not a whole id; a whole id is found anywhere. Default: everywhere. */
  readonly scope?: (() => ResolveScope) | undefined;
  /** Only the trash. Default: live checkpoints, then the trash when no live one matches. */
  readonly inTrash?: boolean | undefined;
}

/** Where to search for a reference that is not a whole id. */
export interface ResolveScope {
  /** Without a session: project whose latest checkpoint is used. Default: the latest of all. */
  readonly project?: string | undefined;
  /** Project whose ids are searched. Default: all. */
  readonly only?: string | undefined;
}

type Scoped = ResolveInput & ResolveScope;

const LEAST_CHARACTERS = 4;
const LATEST = /^latest(?:~(?<back>\d{1,6}))?$/u;
/** Most checkpoints listed in a message. */
const MOST_NAMED = 5;
const MOST_NEAREST = 3;
/** Number of newest checkpoints searched for similar ids. */
const MOST_COMPARED = 1_000;
const MOST_APART = 3;
const LONGEST_TOLD = 100;

/**
 * Finds the checkpoint that a reference means. A whole id always means itself, even when it is a prefix of another id.
 *
 * @throws INVALID_INPUT when several ids match, with `details.matches`; CHECKPOINT_NOT_FOUND, with `details.nearest`.
 */
export async function resolveCheckpoint(ports: ListPorts, given: ResolveInput): Promise<CheckpointRecord> {
  return ports.locking.shared(async () => {
    const { reference } = given;
    const exact = given.inTrash === true ? undefined : await findExact(ports, given);
    if (exact !== undefined) return exact;
    const input = { ...given, ...given.scope?.() };
    const back = LATEST.exec(reference);
    if (back !== null && input.inTrash !== true) return beforeLatest(ports, input, Number(back.groups?.["back"] ?? 0));
    const live = input.inTrash === true ? [] : await beginningWith(ports, input);
    const found = live.length === 0 ? await beginningWithInTrash(ports, input) : live;
    const [only, ...others] = found;
    if (only === undefined) throw await notFound(ports, input);
    if (others.length > 0) throw ambiguous(reference, found);
    return only;
  });
}

async function findExact({ catalog }: ListPorts, { reference, sessionId }: ResolveInput): Promise<CheckpointRecord | undefined> {
  const record = isCheckpointId(reference) ? await findCheckpoint(catalog, reference) : undefined;
  return sessionId === undefined || record?.sessionId === sessionId ? record : undefined;
}

/** Counts in the order of listings. Skips damaged checkpoints and asides, as loading a session's latest does. */
async function beforeLatest(ports: ListPorts, { reference, sessionId, project }: Scoped, back: number): Promise<CheckpointRecord> {
  const filter = sessionId === undefined ? { project } : { sessionId };
  let passed = 0;
  for await (const record of eachRecord(ports.catalog, filter, Math.min(back + 1, 100))) {
    if (record.damaged) continue;
    if (passed === back) return record;
    passed += 1;
  }
  const where = sessionId !== undefined ? `session ${sessionId}` : project === undefined ? "the store" : `the project ${project}`;
  throw new WorkrailError("CHECKPOINT_NOT_FOUND", `There is no ${reference}: ${where} has ${passed} checkpoints.`, {
    details: { checkpointId: reference, checkpoints: passed, ...(sessionId === undefined ? {} : { sessionId }) },
    hint: "`workrail list` lists the existing checkpoints.",
  });
}

async function beginningWith({ catalog }: ListPorts, input: Scoped): Promise<readonly CheckpointRecord[]> {
  if (!isPrefix(input.reference)) return [];
  const filter = { ...among(input), idPrefix: input.reference };
  const { records } = await queryCheckpoints(catalog, { filter, limit: MOST_NAMED + 1, offset: 0 });
  return records;
}

async function beginningWithInTrash({ catalog }: ListPorts, input: Scoped): Promise<readonly CheckpointRecord[]> {
  const { reference, sessionId, only } = input;
  const isWhole = (id: string): boolean => id === reference;
  if (!isPrefix(reference) && !isCheckpointId(reference)) return [];
  const found: CheckpointRecord[] = [];
  for await (const { record } of eachTrashed(catalog, { sessionId })) {
    if (isWhole(record.id)) return [record];
    const isThere = only === undefined || record.project === only;
    if (isThere && isPrefix(reference) && record.id.startsWith(reference)) found.push(record);
  }
  return found;
}

function isPrefix(reference: string): boolean {
  return reference.length >= LEAST_CHARACTERS && isCheckpointId(reference);
}

function among({ sessionId, only }: Scoped): CheckpointFilter {
  return { sessionId, project: only, kinds: CHECKPOINT_KINDS };
}

function ambiguous(reference: string, found: readonly CheckpointRecord[]): WorkrailError {
  const matches = found.slice(0, MOST_NAMED).map(told);
  const more = found.length > MOST_NAMED ? " and more" : "";
  return new WorkrailError("INVALID_INPUT", `Several checkpoints begin with "${reference}": ${matches.map(inWords).join(", ")}${more}.`, {
    details: { field: "checkpointId", checkpointId: reference, matches },
    hint: "Give more characters of its id.",
  });
}

async function notFound(ports: ListPorts, input: Scoped): Promise<WorkrailError> {
  const { reference } = input;
  const nearest = await nearestTo(ports, input);
  if (isCheckpointId(reference)) return checkpointNotFound(ports, reference, nearest);
  return unknownCheckpoint(reference.length <= LONGEST_TOLD ? reference : `${reference.slice(0, LONGEST_TOLD)}...`, { nearest });
}

/** Returns checkpoints with similar ids or names. A partial reference is compared with beginnings. */
async function nearestTo(ports: ListPorts, input: Scoped): Promise<readonly LikelyCheckpoint[]> {
  const wanted = input.reference.toLowerCase();
  if (wanted === "" || wanted.length > LONGEST_TOLD) return [];
  const most = Math.min(MOST_APART, Math.max(1, Math.floor(wanted.length / 4)));
  const near: { readonly record: CheckpointRecord; readonly apart: number }[] = [];
  let compared = 0;
  for await (const record of eachRecord(ports.catalog, among(input))) {
    const apart = Math.min(...[record.id, record.name ?? ""].map((text) => apartFrom(wanted, text.toLowerCase(), most)));
    if (apart <= most) near.push({ record, apart });
    compared += 1;
    if (compared === MOST_COMPARED) break;
  }
  return near
    .toSorted((one, other) => one.apart - other.apart)
    .slice(0, MOST_NEAREST)
    .map(({ record }) => told(record));
}

function apartFrom(wanted: string, text: string, most: number): number {
  if (text === "") return most + 1;
  return Math.min(editDistance(wanted, text.slice(0, wanted.length), most), editDistance(wanted, text, most));
}

function told({ id, sessionId, name }: CheckpointRecord): LikelyCheckpoint {
  return { checkpointId: id, sessionId, ...(name === undefined ? {} : { name }) };
}

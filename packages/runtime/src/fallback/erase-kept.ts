import { type CheckpointRecord, type EraseInput, isWorkrailError, KEEP_TAG, reclaimBlobs, findSession } from "@workrail/core";
import { eraseInputOf, type EraseParams, type EraseResult, eraseResultOf } from "../erasing.ts";
import { erase } from "../facets/care.ts";
import type { Store } from "../store.ts";
import type { RetainedMemory } from "./retained-memory.ts";

export interface EraseKeptPorts {
  readonly memory: RetainedMemory;
  /** The store on disk, if it was ever opened. */
  readonly disk: Store | undefined;
  /** Returns the store on disk, or throws the reason why there is none. */
  readonly mustHave: () => Store;
}

/**
 * Erases the selected checkpoints from memory, and the rest from disk. Must not run during an attempt to write the memory to disk.
 *
 * @throws errors of erasing on disk; memory then keeps everything.
 */
export async function eraseKept(ports: EraseKeptPorts, params: EraseParams): Promise<EraseResult> {
  const { sessionIds = [], ...how } = params;
  if (sessionIds.length < 2) return eraseOneOf(ports, params);
  // Some of the sessions may be in memory alone.
  const [first = "", ...others] = new Set(sessionIds);
  const result = await eraseKept(ports, { ...how, sessionIds: [first] });
  if (others.length === 0) return result;
  const rest = await eraseKept(ports, { ...how, sessionIds: others });
  return {
    ...rest,
    erased: [...result.erased, ...rest.erased],
    spared: [...result.spared, ...rest.spared],
    left: [...new Set([...result.left, ...rest.left])],
  };
}

async function eraseOneOf(ports: EraseKeptPorts, params: EraseParams): Promise<EraseResult> {
  const { memory, disk } = ports;
  const input = eraseInputOf(params);
  const named = (await memory.checkpoints()).filter((record) => isNamed(input, record));
  const spared: CheckpointRecord[] = [];
  if (input.sparesKept === true) for (const each of named) if (await isTagged(disk, each)) spared.push(each);
  const going = named.filter((each) => !spared.includes(each));
  if (input.dryRun !== true && disk !== undefined) for (const each of going) await eraseFile(disk, each);
  const onDisk = await eraseRest(ports, params, named);
  if (input.dryRun !== true) {
    await memory.forget(new Set(going.map(({ id }) => id)));
    if ("sessionIds" in input && spared.length === 0) for (const sessionId of input.sessionIds) memory.forgetPinsOf(sessionId);
  }
  return { ...onDisk, erased: [...going.map(told), ...onDisk.erased], spared: [...spared.map(told), ...onDisk.spared] };
}

function isNamed(input: EraseInput, { id, sessionId }: CheckpointRecord): boolean {
  return "sessionIds" in input ? input.sessionIds.includes(sessionId) : input.checkpointIds.includes(id);
}

async function isTagged(disk: Store | undefined, { sessionId, tags }: CheckpointRecord): Promise<boolean> {
  return tags.includes(KEEP_TAG) || (disk && (await findSession(disk.parts.catalog, sessionId)))?.tags.includes(KEEP_TAG) === true;
}

/** Erases the file of a save that failed after writing it: a rebuild of the catalog would bring it back. */
async function eraseFile({ parts: { blobs, catalog, locking } }: Store, { id, sessionId }: CheckpointRecord): Promise<void> {
  const ref = blobs.refOf({ sessionId, checkpointId: id });
  if ((await blobs.get(ref)) !== undefined) await locking.shared(() => reclaimBlobs(catalog, [ref], (each) => blobs.erase(each)));
}

async function eraseRest({ mustHave }: EraseKeptPorts, params: EraseParams, named: readonly CheckpointRecord[]): Promise<EraseResult> {
  const input = eraseInputOf(params);
  const rest = "sessionIds" in input ? undefined : input.checkpointIds.filter((id) => !named.some((each) => each.id === id));
  const nothing = { dryRun: input.dryRun === true, erased: [], spared: [], left: [], unreadable: [], copies: { backups: [], exports: [] } };
  if (rest?.length === 0) return eraseResultOf(nothing, undefined);
  try {
    return await erase(mustHave(), rest === undefined ? params : { ...params, checkpointIds: rest });
  } catch (error) {
    // Memory may hold all checkpoints of this session.
    const isUnknown = isWorkrailError(error) && error.code === "SESSION_NOT_FOUND";
    if (!isUnknown || named.length === 0) throw error;
    return eraseResultOf(nothing, undefined);
  }
}

function told({ id: checkpointId, sessionId }: CheckpointRecord): EraseResult["erased"][number] {
  return { checkpointId, sessionId };
}

import type { CheckpointId, SessionId } from "@workrail/core";
import { proveStore } from "../prove-store.ts";
import { Workbench } from "../workbench.ts";
import type { ModelStore } from "./model-store.ts";
import { type Seen, seen } from "./outcome.ts";
import type { StorageInUse } from "../storage-in-use.ts";

/** The whole content of a store, read in every way. */
export interface Holdings {
  readonly live: readonly Seen[];
  /** Checkpoints in the trash, ordered by id. */
  readonly trashed: readonly Seen[];
  readonly sessions: readonly SeenSession[];
  /** Ids of all checkpoints ever saved that the catalog finds. */
  readonly found: readonly CheckpointId[];
}

interface SeenSession {
  readonly id: SessionId;
  readonly isKnown: boolean;
  readonly head: CheckpointId | undefined;
  readonly pins: readonly string[];
  readonly tags: readonly string[];
}

/** Sessions and checkpoints to look up. */
export interface Known {
  readonly sessions: readonly SessionId[];
  readonly ids: readonly CheckpointId[];
}

/** Reads the whole store and verifies each checkpoint against its blob. */
export async function lookAt(storage: StorageInUse, { sessions, ids }: Known): Promise<Holdings> {
  const { catalog } = storage;
  const { records, texts } = await proveStore(storage);
  const bench = new Workbench(storage);
  const { entries } = await catalog.trash({ limit: 1_000 });
  const trashed: Seen[] = [];
  for (const { record } of entries) trashed.push(seen(record, (await bench.read(record)).contextText()));
  const ofSessions: SeenSession[] = [];
  for (const id of sessions) {
    const session = await catalog.session(id);
    const head = (await catalog.head(id))?.id;
    ofSessions.push({ id, isKnown: session !== undefined, head, pins: session?.pins ?? [], tags: session?.tags ?? [] });
  }
  const found: CheckpointId[] = [];
  for (const id of ids) if ((await catalog.find(id)) !== undefined) found.push(id);
  return { live: records.map((record) => seen(record, texts.get(record.id))), trashed: byId(trashed), sessions: ofSessions, found };
}

/** Returns the content that a store must have according to a model. */
export function holdingsOf(model: ModelStore, { sessions, ids }: Known): Holdings {
  return {
    live: model.live.map((each) => seen(each, each.text)),
    trashed: byId(model.trashed.map((each) => seen(each, each.text))),
    sessions: sessions.map((id) => {
      return { id, isKnown: model.knows(id), head: model.head(id)?.id, pins: model.pins(id), tags: model.tags(id) };
    }),
    found: ids.filter((id) => model.find(id) !== undefined),
  };
}

function byId(all: readonly Seen[]): readonly Seen[] {
  return all.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

import type {
  BlobRef,
  CheckpointId,
  Classifier,
  Clock,
  CountTokens,
  Digest,
  IdGenerator,
  Layer,
  NewRecord,
  SessionId,
  TokenCounter,
} from "@workrail/core";

/** Builds a record with plausible defaults. Its digests derive from its id. */
export function aRecord(given: Partial<NewRecord> & { readonly id: CheckpointId; readonly sessionId: SessionId }): NewRecord {
  return {
    parentId: null,
    kind: "workflow",
    createdAt: new Date("2026-01-01T00:00:00.000Z"),
    agentId: undefined,
    workflowId: undefined,
    project: undefined,
    name: undefined,
    tags: [],
    attributes: {},
    exactDigest: digestOf(given.id),
    canonicalDigest: digestOf(given.id),
    contextBytes: 100,
    layers: undefined,
    writer: "workrail/test",
    blob: `contexts/${given.sessionId}/${given.id}.json.gz` as BlobRef,
    blobBytes: 60,
    baseId: null,
    keyId: null,
    ...given,
  };
}

/** Returns a well-formed digest that is unique per id but digests nothing. */
function digestOf(id: string): Digest {
  const hex = Array.from(id, (character) => character.charCodeAt(0).toString(16)).join("");
  return hex.slice(-64).padStart(64, "0") as Digest;
}

/** Clock that advances by a fixed step on every call, and can be set. */
export class SteppingClock implements Clock {
  #now: number;
  readonly #stepMs: number;

  constructor(start: Date = new Date("2026-01-01T00:00:00.000Z"), stepMs = 1_000) {
    this.#now = start.getTime();
    this.#stepMs = stepMs;
  }

  now(): Date {
    const now = new Date(this.#now);
    this.#now += this.#stepMs;
    return now;
  }

  set(now: Date): void {
    this.#now = now.getTime();
  }
}

/** Generates ascending ids in the form of UUIDs. */
export class SequentialIds implements IdGenerator {
  #next = 1;

  sessionId(): SessionId {
    return this.#uuid("5e55") as SessionId;
  }

  checkpointId(): CheckpointId {
    return this.#uuid("c8ec") as CheckpointId;
  }

  #uuid(group: string): string {
    return `00000000-${group}-4000-8000-${String(this.#next++).padStart(12, "0")}`;
  }
}

/** Returns a token counter that uses the given function. */
export function tokensCounted(count: CountTokens): TokenCounter {
  return { count: async (text) => count(text), load: async () => count };
}

/** Returns a classifier that knows the layers of these keys, and of no other. */
export function classifierOf(layers: Readonly<Record<string, Layer>>): Classifier {
  const known = new Map(Object.entries(layers).map(([key, layer]) => [key, { layer, confidence: 1, why: "given" }]));
  return { classify: async () => known };
}

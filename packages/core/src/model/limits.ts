/** Every number that a save is measured against. */
export interface Limits {
  /** Live checkpoints a session keeps; the oldest go first. Project checkpoints and conversations are exempt. */
  readonly maxCheckpoints: number;
  /** Asides that a session keeps; those used longest ago go first, but none that is shielded. */
  readonly maxAsides: number;
  /** Blobs of one session's asides, as stored, in bytes. */
  readonly maxAsideBytes: number;
  /** Compressed size of one checkpoint, as stored whole, in bytes. */
  readonly maxCheckpointBytes: number;
  /** Blobs of one session's live checkpoints, as stored, in bytes. */
  readonly maxSessionBytes: number;
  /** All blobs of the store, those in the trash included, as stored, in bytes. */
  readonly maxTotalBytes: number;
  /** Size of a context as JSON text, in bytes of UTF-8; guards parsing and memory. */
  readonly maxContextBytes: number;
  /** Levels of nested objects and arrays, the context itself being the first. */
  readonly maxDepth: number;
  /** Object members in the whole context, nested ones included. */
  readonly maxKeys: number;
}

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

/** The specification's defaults, and RELIABILITY's for what it leaves open. */
export const DEFAULT_LIMITS: Limits = {
  maxCheckpoints: 100,
  maxAsides: 200,
  maxAsideBytes: 100 * MiB,
  maxCheckpointBytes: 10 * MiB,
  maxSessionBytes: GiB,
  maxTotalBytes: 10 * GiB,
  maxContextBytes: 256 * MiB,
  maxDepth: 128,
  maxKeys: 100_000,
};

/** Bounds on what describes a checkpoint, so that a page of a listing always fits an answer. */
export const LABEL_LIMITS = {
  /** Characters in a name, an agent id, a workflow id. */
  nameLength: 500,
  tags: 100,
  tagLength: 200,
  /** Characters of all attributes as JSON text. */
  attributesLength: 16_384,
  /** Characters in the path of a project: more than any path has that a system takes. */
  pathLength: 32_768,
} as const;

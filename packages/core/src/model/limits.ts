/** Limits that a save is checked against. */
export interface Limits {
  /** Live checkpoints per session; the oldest are removed first. Project checkpoints and conversations are exempt. */
  readonly maxCheckpoints: number;
  /** Asides per session; the least recently used are removed first. Shielded asides are never removed. */
  readonly maxAsides: number;
  /** Stored bytes of the blobs of one session's asides. */
  readonly maxAsideBytes: number;
  /** Compressed bytes of one checkpoint stored whole. */
  readonly maxCheckpointBytes: number;
  /** Stored bytes of the blobs of one session's live checkpoints. */
  readonly maxSessionBytes: number;
  /** Stored bytes of all blobs of the store, including the trash. */
  readonly maxTotalBytes: number;
  /** Bytes of a context's JSON text in UTF-8. Guards parsing and memory. */
  readonly maxContextBytes: number;
  /** Levels of nested objects and arrays; the context itself is level 1. */
  readonly maxDepth: number;
  /** Object members in the whole context, including nested ones. */
  readonly maxKeys: number;
}

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

/** Defaults of the specification, and of RELIABILITY where the specification leaves them open. */
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

/** Bounds on the labels of a checkpoint, so that a page of a listing always fits into an answer. */
export const LABEL_LIMITS = {
  /** Characters of a name, an agent id, or a workflow id. */
  nameLength: 500,
  tags: 100,
  tagLength: 200,
  /** Characters of all attributes as JSON text. */
  attributesLength: 16_384,
  /** Characters of a project's path: more than any operating system allows. */
  pathLength: 32_768,
} as const;

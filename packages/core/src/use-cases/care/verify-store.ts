import { RecentJson } from "../../json/recent-json.ts";
import { type ErrorCode, isWorkrailError, type WorkrailError } from "../../errors.ts";
import { decodeBlob } from "../../envelope/envelope.ts";
import { CHECKPOINT_KINDS, type CheckpointRecord } from "../../model/checkpoint.ts";
import type { BlobRef, CheckpointId, SessionId } from "../../model/ids.ts";
import type { Session, SessionFacts } from "../../model/session.ts";
import { type CheckpointFilter, findCheckpoint, queryCheckpoints } from "../../catalog/queries/query-checkpoints.ts";
import type { UnreadablePlace } from "../../ports/blob-store.ts";
import type { Locking } from "../../ports/locking.ts";
import type { Remains } from "../../ports/storage.ts";
import { after, takingTurns } from "../../turns.ts";
import { adoptForm } from "../compact/adopt-form.ts";
import { getBlob, isItsOwnFault, isUnreadableBlob, refuseWhenNothingIsRead, whyUnreadable } from "../load/get-blob.ts";
import { differenceOf, damagedBytesOf, isRecordInDoubt, type ReadPorts, type ReadText, readText } from "../load/read-context.ts";
import { eachRecord, eachTrashed } from "../remove/view-store.ts";
import { findSession } from "../../catalog/queries/query-sessions.ts";
import { listErasures } from "../../catalog/queries/list-erasures.ts";
import { findDiscrepancies } from "../../catalog/rules/reconcile.ts";
import { queryTrash } from "../../catalog/queries/query-trash.ts";
import type { ChainedRecovery } from "../../catalog/catalog-port.ts";

export interface VerifyPorts extends ReadPorts {
  readonly locking: Locking;
  readonly recovery: ChainedRecovery;
  /** Default: the storage has no leftovers. */
  readonly remains?: Pick<Remains, "leftovers" | "removeLeftovers"> | undefined;
}

export interface VerifyOptions {
  /** Called after each checkpoint. */
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
  /** Aborts early; the findings so far are reported. */
  readonly signal?: { readonly aborted: boolean } | undefined;
  /** Do not even correct records of how blobs are stored. Default `false`. */
  readonly changesNothing?: boolean | undefined;
}

export interface VerifyProgress {
  readonly done: number;
  /** Checkpoints at the beginning. */
  readonly total: number;
}

/**
 * Kinds of faults.
 * - `damaged`: the file is missing, or its bytes are wrong.
 * - `depends-on-damaged`: a base of the delta is unreadable.
 * - `marked`: found damaged earlier, and still is.
 * - `marked-but-whole`: marked as damaged, but the file is there and right.
 * - `facts-differ`: file and record disagree.
 * - `newer-version`: a newer Workrail wrote it.
 * - `too-large`: it exceeds the limits.
 * - `sums`: a session's count or size is wrong.
 * - `edge-missing`: the catalog does not know the base of a checkpoint.
 * - `session-file`: the facts file of a session is missing, unreadable, or differs from the catalog.
 * - `orphan-unreadable`: a file that belongs to no checkpoint, with wrong bytes.
 * - `unreadable`: the system cannot read the file or directory, which proves no damage and may pass.
 * - `erasure-unfinished`: the checkpoint was erased, but parts of it are still in the store.
 * - `leftover`: left by a killed restore or rebuild.
 */
export type FindingKind =
  | "damaged"
  | "depends-on-damaged"
  | "marked"
  | "marked-but-whole"
  | "facts-differ"
  | "newer-version"
  | "too-large"
  | "sums"
  | "edge-missing"
  | "session-file"
  | "orphan-unreadable"
  | "unreadable"
  | "erasure-unfinished"
  | "leftover";

export interface Finding {
  readonly kind: FindingKind;
  readonly sessionId?: SessionId;
  readonly checkpointId?: CheckpointId;
  /** Blob, or file in the data directory. */
  readonly ref?: BlobRef;
  /** A sentence for people. */
  readonly reason: string;
}

export interface VerifyReport {
  /** Checkpoints examined. */
  readonly checkpoints: number;
  readonly sessions: number;
  /** Checkpoints marked as damaged earlier that still are. */
  readonly marked: number;
  /** Readable files that belong to no checkpoint, live or in the trash: garbage, unless a rebuild brings them back. */
  readonly orphans: readonly BlobRef[];
  readonly findings: readonly Finding[];
  /** `false` when the verification was aborted. */
  readonly isComplete: boolean;
}

const PAGE = 100;
const MAX_LOOKS = 3;
/** Waiting times for re-encodings in progress: a file gets its new form before its record. Afterwards the process is done, or dead. */
const MOMENTS_MS = [20, 200, 1_000];

/**
 * Verifies the whole store. Safe with concurrent writers: data that changes meanwhile is checked again. One thing may be changed: a
 * process killed while re-encoding a checkpoint leaves a file in its new form with a record of the old one. The contents are
 * exact, so this is not a finding, and the record is corrected if possible.
 *
 * @throws STORAGE_UNAVAILABLE
 */
export async function verifyStore(ports: VerifyPorts, options: VerifyOptions = {}): Promise<VerifyReport> {
  return ports.locking.shared(() => new Verification(ports, options).run());
}

interface Sums {
  count: number;
  bytes: number;
}

class Verification {
  readonly #ports: VerifyPorts;
  readonly #options: VerifyOptions;
  readonly #findings: Finding[] = [];
  readonly #sessions = new Map<SessionId, Sums>();
  /** Checkpoints with handles, whose shields must be in the session files too. */
  readonly #shielded = new Map<SessionId, CheckpointId[]>();
  readonly #refs = new Set<BlobRef>();
  /** Checkpoint read last by its id: mostly the base of the next one. */
  #last: ReadonlyMap<CheckpointId, ReadText> = new Map();
  readonly #recentJson = new RecentJson();
  /** Checkpoints whose blobs are exact but have another form than their records state. */
  readonly #changing = new Map<CheckpointId, CheckpointRecord>();
  readonly #unreadable = new Set<CheckpointId>();
  /** Errors of the system when reading blobs. */
  readonly #failures: WorkrailError[] = [];
  /** Yields regularly, so that an abort is noticed. */
  readonly #turn = takingTurns();
  #done = 0;
  /** Checkpoints examined in the trash. */
  #trashed = 0;

  constructor(ports: VerifyPorts, options: VerifyOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  async run(): Promise<VerifyReport> {
    // Lists the blobs first, so that none of them is newer than the records.
    const blobs: BlobRef[] = [];
    const places: UnreadablePlace[] = [];
    for await (const { ref } of this.#ports.blobs.list((place) => places.push(place))) blobs.push(ref);
    const sessions = new Set<SessionId>();
    for await (const { sessionId } of this.#records({})) sessions.add(sessionId);
    const { total } = await queryCheckpoints(this.#ports.catalog, { filter: { kinds: CHECKPOINT_KINDS }, limit: 1, offset: 0 });
    for (const sessionId of sessions) await this.#verifySession(sessionId, total);
    await this.#lookAgain();
    await this.#verifyTrash();
    const orphans = await this.#verifyOrphans(blobs);
    for (const { ref, error } of places)
      if (!this.#refs.has(ref)) this.#findings.push({ kind: "unreadable", ref, reason: whyUnreadable(error) });
    refuseWhenNothingIsRead(this.#done + this.#trashed - this.#failures.length, this.#failures);
    await this.#verifyCatalog();
    await this.#verifySessionFiles();
    await this.#verifyErasures();
    await this.#verifyLeftovers();
    return {
      checkpoints: this.#done,
      sessions: this.#sessions.size,
      marked: this.#findings.filter(({ kind }) => kind === "marked").length,
      orphans,
      findings: this.#findings,
      isComplete: !this.#isAborted,
    };
  }

  get #isAborted(): boolean {
    return this.#options.signal?.aborted === true;
  }

  async *#records(filter: CheckpointFilter): AsyncGenerator<CheckpointRecord> {
    for await (const record of eachRecord(this.#ports.catalog, { ...filter, kinds: CHECKPOINT_KINDS }, PAGE)) {
      await this.#turn();
      if (this.#isAborted) return;
      yield record;
    }
  }

  /** Checks newest first, so that the base of a checkpoint has mostly just been read. */
  async #verifySession(sessionId: SessionId, total: number): Promise<void> {
    const sums: Sums = { count: 0, bytes: 0 };
    this.#last = new Map();
    for await (const record of this.#records({ sessionId })) {
      sums.count += 1;
      sums.bytes += record.blobBytes;
      this.#refs.add(record.blob);
      if (record.shieldedUntil !== undefined) this.#shielded.set(sessionId, [...(this.#shielded.get(sessionId) ?? []), record.id]);
      await this.#note(record);
      this.#done += 1;
      this.#options.onProgress?.({ done: this.#done, total: Math.max(total, this.#done) });
    }
    this.#sessions.set(sessionId, sums);
  }

  /** Checks re-encodings in progress again after waiting. The remaining ones were left by a killed process, and are corrected. */
  async #lookAgain(): Promise<void> {
    for (const moment of MOMENTS_MS) {
      if (this.#changing.size === 0) return;
      await after(moment);
      const before = [...this.#changing.keys()];
      this.#changing.clear();
      for (const id of before) await this.#noteAgain(id);
    }
    if (this.#options.changesNothing === true) return;
    for (const record of this.#changing.values()) await this.#correct(record);
  }

  async #note(record: CheckpointRecord): Promise<void> {
    const finding = await this.#lookUntilItStands(record);
    if (finding !== undefined) this.#findings.push(finding);
  }

  async #noteAgain(id: CheckpointId): Promise<void> {
    const record = await findCheckpoint(this.#ports.catalog, id);
    if (record !== undefined) await this.#note(record);
  }

  /** The contents were verified. A store that cannot be written to now is corrected another time. */
  async #correct(record: CheckpointRecord): Promise<void> {
    try {
      await adoptForm(this.#ports, record);
    } catch (error) {
      if (!isWorkrailError(error) || error.code === "INTERNAL") throw error;
      if (error.code === "CHECKPOINT_CORRUPT") this.#findings.push(findingOf(record, error));
    }
  }

  /** Checks again while the record changes between reading it and its bytes. */
  async #lookUntilItStands(first: CheckpointRecord): Promise<Finding | undefined> {
    let record = first;
    for (let look = 1; ; look++) {
      const finding = await this.#look(record);
      if (finding === undefined) return undefined;
      const again = await findCheckpoint(this.#ports.catalog, record.id);
      if (again === undefined) return undefined;
      const isSame = again.blobBytes === record.blobBytes && again.baseId === record.baseId && again.damaged === record.damaged;
      if (isSame || look === MAX_LOOKS) {
        if (!READABLE.has(finding.kind)) this.#unreadable.add(record.id);
        return finding;
      }
      record = again;
    }
  }

  async #look(record: CheckpointRecord): Promise<Finding | undefined> {
    if (record.damaged) return this.#lookAtMarked(record);
    try {
      return await this.#compare(record, await this.#read(record, this.#unreadable));
    } catch (error) {
      if (isWorkrailError(error) && isUnreadableBlob(error)) this.#failures.push(error);
      return findingOf(record, error);
    }
  }

  async #lookAtMarked(record: CheckpointRecord): Promise<Finding | undefined> {
    try {
      // Deltas of this checkpoint are readable too: its file is intact.
      await this.#read({ ...record, damaged: false });
    } catch (error) {
      if (!isItsOwnFault(error)) throw error;
      if (isUnreadableBlob(error)) return findingOf(record, error);
      this.#unreadable.add(record.id);
      return about(record, "marked", `It was found damaged earlier, and is still damaged. ${error.message}`);
    }
    return about(record, "marked-but-whole", "It is marked as damaged, but its file is intact.");
  }

  async #read(record: CheckpointRecord, unreadable?: ReadonlySet<CheckpointId>): Promise<ReadText> {
    const read = await readText(this.#ports, record, { known: this.#last, unreadable, recentJson: this.#recentJson });
    this.#last = new Map([[record.id, read]]);
    return read;
  }

  async #compare(record: CheckpointRecord, { facts, baseId }: ReadText): Promise<Finding | undefined> {
    const difference = differenceOf(record, facts);
    if (difference !== undefined) return about(record, "facts-differ", `Its file and its record differ in ${difference}.`);
    const bytes = await getBlob(this.#ports.blobs, record.blob);
    if (record.baseId === baseId && record.blobBytes === bytes?.length) this.#changing.delete(record.id);
    else this.#changing.set(record.id, record);
    return undefined;
  }

  /** Checks that checkpoints in the trash are readable. Their form does not matter until they are restored. */
  async #verifyTrash(): Promise<void> {
    for await (const { record } of eachTrashed(this.#ports.catalog, {})) {
      await this.#turn();
      if (this.#isAborted) return;
      this.#refs.add(record.blob);
      this.#trashed += 1;
      const finding = await this.#look(record);
      if (finding === undefined || READABLE.has(finding.kind)) continue;
      const { entries } = await queryTrash(this.#ports.catalog, { checkpointId: record.id, limit: 1 });
      if (entries.length > 0) this.#findings.push({ ...finding, reason: `It is in the trash. ${finding.reason}` });
    }
  }

  async #verifyOrphans(blobs: readonly BlobRef[]): Promise<readonly BlobRef[]> {
    const orphans: BlobRef[] = [];
    for (const ref of blobs) {
      await this.#turn();
      if (this.#isAborted) return orphans;
      if (this.#refs.has(ref)) continue;
      try {
        const bytes = await getBlob(this.#ports.blobs, ref);
        if (bytes === undefined) continue;
        const { facts } = await decodeBlob(this.#ports, bytes);
        // A save may have been between writing its blob and its record when the records were listed.
        if ((await findCheckpoint(this.#ports.catalog, facts.id))?.blob !== ref && !(await this.#isTrashed(facts.id, ref)))
          orphans.push(ref);
      } catch (error) {
        if (!isItsOwnFault(error)) throw error;
        const reason = isUnreadableBlob(error) ? whyUnreadable(error) : error.message;
        this.#findings.push({ kind: ORPHANS[error.code] ?? "orphan-unreadable", ref, reason });
      }
    }
    return orphans;
  }

  /** True when the checkpoint was moved to the trash since the trash was checked. */
  async #isTrashed(checkpointId: CheckpointId, ref: BlobRef): Promise<boolean> {
    const { entries } = await queryTrash(this.#ports.catalog, { checkpointId, limit: 1 });
    return entries.some(({ record }) => record.blob === ref);
  }

  async #verifyCatalog(): Promise<void> {
    if (this.#isAborted) return;
    const { sums, edges } = await findDiscrepancies(this.#ports.catalog);
    for (const sessionId of sums) {
      this.#findings.push({ kind: "sums", sessionId, reason: "Its count or size does not match its checkpoints." });
    }
    for (const { dependent, base } of edges) {
      this.#findings.push({ kind: "edge-missing", checkpointId: dependent, reason: `The catalog lacks its dependency on ${base}.` });
    }
  }

  async #verifyLeftovers(): Promise<void> {
    if (this.#isAborted) return;
    for (const name of (await this.#ports.remains?.leftovers()) ?? []) {
      this.#findings.push({ kind: "leftover", ref: name as BlobRef, reason: "Left over from a restore or rebuild that was killed." });
    }
  }

  async #verifyErasures(): Promise<void> {
    if (this.#isAborted) return;
    const reason = "It was erased, but parts of it are still in the store. The next opening for writing removes them.";
    for (const { checkpointId, sessionId, blob: ref } of await listErasures(this.#ports.catalog)) {
      this.#findings.push({ kind: "erasure-unfinished", sessionId, checkpointId, ref, reason });
    }
  }

  /** Checks twice, because a session file is replaced before its transaction commits. */
  async #verifySessionFiles(): Promise<void> {
    const wrong = await this.#wrongSessionFiles(new Set(this.#sessions.keys()));
    for (const sessionId of wrong.size === 0 ? wrong : await this.#wrongSessionFiles(wrong)) {
      this.#findings.push({ kind: "session-file", sessionId, reason: "The session's file differs from the catalog." });
    }
  }

  async #wrongSessionFiles(sessions: ReadonlySet<SessionId>): Promise<ReadonlySet<SessionId>> {
    const wrong = new Set<SessionId>();
    if (this.#isAborted) return wrong;
    const files = new Map<SessionId, SessionFacts>();
    for await (const facts of this.#ports.recovery.sessionFacts()) if (sessions.has(facts.sessionId)) files.set(facts.sessionId, facts);
    for (const sessionId of sessions) {
      const session = await findSession(this.#ports.catalog, sessionId);
      if (session === undefined) continue;
      const facts = files.get(sessionId);
      if (!sayTheSame(session, facts) || !(await this.#holdsShields(sessionId, facts))) wrong.add(sessionId);
    }
    return wrong;
  }

  /** True when a rebuild from the session's file would keep the shields of handles. */
  async #holdsShields(sessionId: SessionId, facts: SessionFacts | undefined): Promise<boolean> {
    const kept = new Map(facts?.shields.map(({ checkpointId, until }) => [checkpointId, until]));
    for (const id of this.#shielded.get(sessionId) ?? []) {
      const until = (await findCheckpoint(this.#ports.catalog, id))?.shieldedUntil;
      if (until !== undefined && until > (kept.get(id) ?? NEVER)) return false;
    }
    return true;
  }
}

const NEVER = new Date(0);

/** Kinds for unreadable orphans that stay in place, because a newer version, higher limits, or a later attempt may read them. */
const ORPHANS: Readonly<Partial<Record<ErrorCode, FindingKind>>> = {
  UNSUPPORTED_VERSION: "newer-version",
  TOO_LARGE: "too-large",
  STORAGE_UNAVAILABLE: "unreadable",
  KEY_UNAVAILABLE: "unreadable",
};

function about(record: CheckpointRecord, kind: FindingKind, reason: string): Finding {
  return { kind, sessionId: record.sessionId, checkpointId: record.id, ref: record.blob, reason };
}

function findingOf(record: CheckpointRecord, error: unknown): Finding {
  if (!isWorkrailError(error)) throw error;
  if (isUnreadableBlob(error)) return about(record, "unreadable", whyUnreadable(error));
  return about(record, kindOf(record, error), error.message);
}

function kindOf(record: CheckpointRecord, error: WorkrailError): FindingKind {
  if (error.code === "UNSUPPORTED_VERSION") return "newer-version";
  if (error.code === "TOO_LARGE") return "too-large";
  if (error.code !== "CHECKPOINT_CORRUPT") throw error;
  if (isRecordInDoubt(error)) return "facts-differ";
  return damagedBytesOf(error)?.id === record.id ? "damaged" : "depends-on-damaged";
}

/** Findings about checkpoints whose bytes are right. */
const READABLE: ReadonlySet<FindingKind> = new Set(["marked-but-whole", "facts-differ"]);

function sayTheSame(session: Session, facts: SessionFacts | undefined): boolean {
  if (facts === undefined) return false;
  const of = ({ createdAt, tags, pins }: Session | SessionFacts): string => JSON.stringify([createdAt, tags, pins]);
  return of(session) === of(facts);
}

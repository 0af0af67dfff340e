import { RecentJson } from "../../json/recent-json.ts";
import { CHECKPOINT_KINDS, type CheckpointRecord } from "../../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../../model/ids.ts";
import type { Locking } from "../../ports/locking.ts";
import type { FindSecrets, SecretScanner } from "../../ports/secret-scanner.ts";
import { takingTurns } from "../../turns.ts";
import { sessionNotFound } from "../load/load-checkpoint.ts";
import { isToBeNamed } from "../load/get-blob.ts";
import { type ReadPorts, type ReadText, readText } from "../load/read-context.ts";
import { begins, findPlaced, labelsText, named, type PlacedSecret } from "../save/screen-secrets.ts";
import { eachRecord, eachTrashed } from "../remove/view-store.ts";
import { findCheckpoint, queryCheckpoints } from "../../catalog/queries/query-checkpoints.ts";
import { findSession } from "../../catalog/queries/query-sessions.ts";

export interface ScanPorts extends ReadPorts {
  readonly locking: Locking;
  readonly scanner: SecretScanner;
  /** Finds the secrets in a key, so that the report of a place does not show them. */
  readonly findSecrets: FindSecrets;
}

export interface ScanOptions {
  /** Only this session. Default: all sessions, and the trash. */
  readonly sessionId?: SessionId | undefined;
  /** Called after each checkpoint. */
  readonly onProgress?: ((progress: ScanProgress) => void) | undefined;
  /** Aborts early; the findings so far are reported. */
  readonly signal?: { readonly aborted: boolean } | undefined;
}

export interface ScanProgress {
  readonly done: number;
  /** Checkpoints at the beginning, without the trash. */
  readonly total: number;
  /** Places found so far. */
  readonly found: number;
}

/** Place of a possible secret in a checkpoint. Never holds the secret. */
export interface StoredSecret extends PlacedSecret {
  readonly sessionId: SessionId;
  readonly checkpointId: CheckpointId;
  /** Number of occurrences in this place. */
  readonly times: number;
  /** Present when the checkpoint is in the trash. */
  readonly inTrash?: true;
}

export interface ScanReport {
  /** Checkpoints examined, including unreadable ones. */
  readonly checkpoints: number;
  /** Newest checkpoints of a session first. */
  readonly found: readonly StoredSecret[];
  /** Unreadable checkpoints, whose contexts are unknown. Their names and tags were examined. */
  readonly unreadable: readonly CheckpointId[];
  /** `false` when the scan was aborted. */
  readonly isComplete: boolean;
}

/**
 * Searches stored data for secrets: contexts, names, tags and attributes of all checkpoints, including the trash. Changes
 * nothing, and does not count as an access. May miss data saved meanwhile.
 *
 * @throws SESSION_NOT_FOUND when the session is empty and unknown; STORAGE_UNAVAILABLE, LOCK_TIMEOUT
 */
export async function scanStore(ports: ScanPorts, options: ScanOptions = {}): Promise<ScanReport> {
  return ports.locking.shared(() => new Scan(ports, options).run());
}

class Scan {
  readonly #ports: ScanPorts;
  readonly #options: ScanOptions;
  readonly #found: StoredSecret[] = [];
  readonly #unreadable: CheckpointId[] = [];
  /** Checkpoint read last by its id: mostly the base of the next one. */
  #last: ReadonlyMap<CheckpointId, ReadText> = new Map();
  readonly #recentJson = new RecentJson();
  #done = 0;

  constructor(ports: ScanPorts, options: ScanOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  async run(): Promise<ScanReport> {
    const { catalog } = this.#ports;
    const { sessionId, onProgress } = this.#options;
    const filter = { kinds: CHECKPOINT_KINDS, sessionId };
    const turn = takingTurns();
    const { total } = await queryCheckpoints(catalog, { filter, limit: 1, offset: 0 });
    for await (const { record, inTrash } of this.#records(filter)) {
      if (this.#isAborted) break;
      await this.#look(record, inTrash);
      this.#done += 1;
      onProgress?.({ done: this.#done, total: Math.max(total, this.#done), found: this.#found.length });
      await turn();
    }
    await this.#checkSession();
    return { checkpoints: this.#done, found: this.#found, unreadable: this.#unreadable, isComplete: !this.#isAborted };
  }

  /** Fails for an unknown session: "nothing found" would be misleading. */
  async #checkSession(): Promise<void> {
    const { sessionId } = this.#options;
    if (sessionId === undefined || this.#done > 0 || this.#isAborted) return;
    if ((await findSession(this.#ports.catalog, sessionId)) === undefined) throw sessionNotFound(sessionId);
  }

  get #isAborted(): boolean {
    return this.#options.signal?.aborted === true;
  }

  /** Yields records by session, newest first, so that the base of a checkpoint has mostly just been read. */
  async *#records(
    filter: Parameters<typeof eachRecord>[1],
  ): AsyncGenerator<{ readonly record: CheckpointRecord; readonly inTrash: boolean }> {
    const { catalog } = this.#ports;
    const sessions = new Set<SessionId>();
    for await (const { sessionId } of eachRecord(catalog, filter)) sessions.add(sessionId);
    for (const sessionId of sessions) {
      for await (const record of eachRecord(catalog, { ...filter, sessionId })) yield { record, inTrash: false };
    }
    for await (const { record } of eachTrashed(catalog, { sessionId: filter.sessionId })) yield { record, inTrash: true };
  }

  async #look(record: CheckpointRecord, inTrash: boolean): Promise<void> {
    const { scanner, findSecrets } = this.#ports;
    const text = await this.#read(record, inTrash);
    const inLabels = await findPlaced(scanner, () => [labelsText(record)]);
    const inText = text === undefined ? [] : await findPlaced(scanner, () => [text], "context");
    const { id: checkpointId, sessionId } = record;
    const places = new Map<string, StoredSecret>();
    for (const { rule, path } of [...inLabels, ...inText].filter(begins).map((secret) => named(secret, findSecrets))) {
      const key = JSON.stringify([rule, path]);
      const times = (places.get(key)?.times ?? 0) + 1;
      places.set(key, { sessionId, checkpointId, rule, path, times, ...(inTrash ? { inTrash } : {}) });
    }
    // A large context may have more secrets than a function takes arguments.
    for (const place of places.values()) this.#found.push(place);
  }

  /** Reads the JSON text; `undefined` when it is unreadable, or was removed since it was listed. */
  async #read(record: CheckpointRecord, inTrash: boolean): Promise<string | undefined> {
    try {
      const read = await readText(this.#ports, record, { known: this.#last, recentJson: this.#recentJson });
      this.#last = new Map([[record.id, read]]);
      return read.contextText();
    } catch (error) {
      if (!isToBeNamed(error)) throw error;
      const isGone = !inTrash && (await findCheckpoint(this.#ports.catalog, record.id)) === undefined;
      if (!isGone) this.#unreadable.push(record.id);
      return undefined;
    }
  }
}

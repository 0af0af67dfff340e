import { applyDelta } from "../../delta/apply-delta.ts";
import { findDelta } from "../../delta/find-delta.ts";
import { decodeBlob, encodeDelta, MAX_ENVELOPE_BYTES } from "../../envelope/envelope.ts";
import { isWorkrailError, WorkrailError } from "../../errors.ts";
import { RecentJson } from "../../json/recent-json.ts";
import { parseJson } from "../../json/parse-json.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { CheckpointId } from "../../model/ids.ts";
import { decodeUtf8, encodeUtf8 } from "../../json/utf8.ts";
import { type ReadContext, readContext, type ReadPorts, textAndDigest } from "../load/read-context.ts";
import { changeForm } from "../../catalog/rules/change-form.ts";
import { commit } from "../../catalog/rules/commit.ts";

/** Smaller form of a checkpoint that is made, but not yet in place. */
interface Made {
  readonly record: CheckpointRecord;
  /** Absent when the checkpoint stays whole. */
  readonly base?: CheckpointRecord;
  readonly bytes: Uint8Array;
}

/** Runs the replacement of one file by a smaller one. */
export type InPlace = (put: () => Promise<boolean>) => Promise<boolean>;

/** Smaller forms collected before one commit adds the edges of the deltas. */
const MOST_WAITING = 8;

/** Stores checkpoints in fewer bytes, most as deltas against a newer one, and verifies each before it replaces a file. */
export class Reencoder {
  readonly #ports: ReadPorts;
  readonly #givenUp: Set<CheckpointId>;
  readonly #pause: () => Promise<void>;
  readonly #inPlace: InPlace;
  readonly #recentJson = new RecentJson();
  #waiting: Made[] = [];
  #made = 0;
  #reencoded = 0;
  #savedBytes = 0;
  /** Base that was read last. It is often the next checkpoint to re-encode. */
  #last: { readonly id: CheckpointId; readonly read: ReadContext } | undefined;

  constructor(ports: ReadPorts, givenUp: Set<CheckpointId>, { pause, inPlace }: { pause: () => Promise<void>; inPlace: InPlace }) {
    this.#ports = ports;
    this.#givenUp = givenUp;
    this.#pause = pause;
    this.#inPlace = inPlace;
  }

  /** Number of smaller forms made, in place or not. */
  get made(): number {
    return this.#made;
  }

  /** Makes a delta and returns its size; `undefined` when it would not be smaller than `lessThan`, or one of the two is unreadable. */
  async make(record: CheckpointRecord, base: CheckpointRecord, lessThan: number): Promise<number | undefined> {
    const bytes = await this.#deltaBlob(record, base).catch(ofUnreadable);
    if (bytes === undefined || bytes.length >= lessThan) return undefined;
    await this.#put({ record, base, bytes });
    return bytes.length;
  }

  /** Encodes a checkpoint that stays whole in fewer bytes, where its save preferred speed. Leaves an unreadable one as it is. */
  async repack(record: CheckpointRecord): Promise<void> {
    const bytes = await this.#repacked(record).catch(ofUnreadable);
    if (bytes !== undefined) await this.#put({ record, bytes });
  }

  async #put(made: Made): Promise<void> {
    this.#made += 1;
    this.#waiting.push(made);
    if (this.#waiting.length === MOST_WAITING) await this.#putInPlace();
  }

  /** Puts the remaining forms in place, and returns the totals. */
  async finish(): Promise<{ readonly reencoded: number; readonly savedBytes: number }> {
    await this.#putInPlace();
    return { reencoded: this.#reencoded, savedBytes: this.#savedBytes };
  }

  async #putInPlace(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return;
    const { catalog, blobs } = this.#ports;
    const add = waiting.flatMap(({ record, base }) => (base === undefined ? [] : [{ dependent: record.id, base: base.id }]));
    if (add.length > 0) await catalog.change(commit({ edges: { add, drop: [] }, audit: [] }));
    for (const { record, base, bytes } of waiting) {
      const becomes = { blobBytes: bytes.length, baseId: base?.id ?? null, keyId: record.keyId };
      const isDone = await this.#inPlace(() => catalog.change(changeForm(record, becomes, () => blobs.replace(record.blob, bytes))));
      await this.#pause();
      // Otherwise the edge stays: another process may have been faster, or an earlier attempt may have replaced the file and died.
      if (!isDone) {
        this.#givenUp.add(record.id);
        continue;
      }
      this.#reencoded += 1;
      this.#savedBytes += record.blobBytes - bytes.length;
    }
  }

  async #deltaBlob(record: CheckpointRecord, base: CheckpointRecord): Promise<Uint8Array> {
    const target = this.#last?.id === record.id ? this.#last.read : await this.#read(record);
    // After a rebuild the order may differ, so that a base may depend on the older checkpoint. Two checkpoints must never be based on
    // each other.
    const from = await this.#read(base, new Set([record.id, ...this.#waiting.map((each) => each.record.id)]));
    this.#last = { id: base.id, read: from };
    const delta = findDelta(from.context, target.context);
    await this.#pause();
    // Verifies as a reader will see it, through the delta's JSON text. The base is unchanged by the steps above.
    const made = applyDelta(from.context, parseJson(decodeUtf8(encodeUtf8(JSON.stringify(delta)))));
    const { digest } = await textAndDigest(made, record, { digests: this.#ports.digests, recentJson: this.#recentJson });
    if (digest !== record.exactDigest)
      throw new WorkrailError("INTERNAL", "A delta does not restore the content that it was computed from.");
    const bytes = await this.#ports.codec.encode(encodeDelta({ facts: record, base: from.facts, delta }, this.#ports.digests));
    return (await this.#smaller(bytes)) ?? bytes;
  }

  async #repacked(record: CheckpointRecord): Promise<Uint8Array | undefined> {
    const bytes = await this.#ports.blobs.get(record.blob);
    const smaller = bytes && (await this.#smaller(bytes));
    if (smaller === undefined) return undefined;
    await this.#pause();
    const { kind, facts } = await decodeBlob(this.#ports, smaller);
    const isSame = kind === "whole" && facts.id === record.id && facts.exactDigest === record.exactDigest;
    return isSame ? smaller : undefined;
  }

  async #smaller(encoded: Uint8Array): Promise<Uint8Array | undefined> {
    const { codec, limits } = this.#ports;
    return codec.repack?.(encoded, limits.maxContextBytes + MAX_ENVELOPE_BYTES);
  }

  async #read(record: CheckpointRecord, notThrough?: ReadonlySet<CheckpointId>): Promise<ReadContext> {
    const read = await readContext(this.#ports, record, notThrough);
    await this.#pause();
    return read;
  }
}

/** Neither changes a damaged checkpoint nor uses it as a base. */
function ofUnreadable(error: unknown): undefined {
  if (isWorkrailError(error) && (error.code === "CHECKPOINT_CORRUPT" || error.code === "UNSUPPORTED_VERSION")) return undefined;
  throw error;
}

import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import {
  cleanUp,
  type CleanUpReport,
  cutAudit,
  HANDLE_MS,
  isWorkrailError,
  makeRoom,
  type RoomNeeded,
  type UpkeepOptions,
  type UpkeepPolicy,
} from "@workrail/core";
import type { Settings } from "./settings.ts";
import type { Parts } from "./tokens.ts";

/** After opening: the first calls, which may go to a session that is due, are answered by then. */
const FIRST_MS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

type HousekeeperParts = Pick<
  Parts,
  "settings" | "catalog" | "blobs" | "locking" | "clock" | "background" | "log" | "accesses" | "sessions"
>;

/** Sees to it that a store can be left alone: what is unused goes, and a store that fills up is told of and given room. */
export class Housekeeper {
  readonly #parts: HousekeeperParts;
  readonly #maxBytes: number;
  readonly #warnAbove: number;
  readonly #policy: UpkeepPolicy;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isFillingUp = false;
  /** Room is not made before the store holds more than this: what could go is gone, or is going. */
  #contentWith: number;

  constructor(parts: HousekeeperParts) {
    const { limits, housekeeping } = parts.settings;
    this.#parts = parts;
    this.#maxBytes = limits.maxTotalBytes;
    this.#warnAbove = shareOf(limits.maxTotalBytes, housekeeping.warnPercent);
    this.#policy = policyOf(parts.settings);
    this.#contentWith = this.#policy.quota.above;
  }

  /** Follows the policy soon, and then once a day. A program that is otherwise done is not kept running for it. */
  start(): void {
    // It is asked for again whenever a memory was written down.
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#daily(), FIRST_MS).unref();
  }

  #daily(): void {
    this.#parts.background.run("clean up", async () => {
      if (!this.#stopping.signal.aborted) await this.cleanUp({ signal: this.#stopping.signal, doubtsClock: true });
    });
    this.#timer = setTimeout(() => this.#daily(), DAY_MS).unref();
  }

  /** Takes nothing more on. What is under way ends with the session that it is at; what saves asked for is still done. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#stopping.abort();
  }

  /** Follows the policy now. */
  async cleanUp(options: Omit<UpkeepOptions, "inUse"> = {}, policy: UpkeepPolicy = this.#policy): Promise<CleanUpReport> {
    // A load just now is a use too.
    await this.#parts.accesses.write();
    const inUse = this.#parts.sessions.inUse();
    const report = await cleanUp(this.#parts, policy, { pause: turnOfTheLoop, ...options, inUse });
    if (!report.dryRun) {
      this.#tell(report);
      await this.#cutAuditLog(options);
    }
    return report;
  }

  async #cutAuditLog({ signal, doubtsClock }: Pick<UpkeepOptions, "signal" | "doubtsClock">): Promise<void> {
    const { auditDays } = this.#parts.settings.housekeeping;
    if (auditDays === 0 || signal?.aborted === true) return;
    const rows = await cutAudit(this.#parts, auditDays * DAY_MS, { signal, doubtsClock, pause: turnOfTheLoop });
    if (rows > 0) this.#parts.log.info("old rows of the audit log were removed", { rows, auditDays });
  }

  /**
   * After each save: has room made in a store that is nearly full.
   *
   * @returns a warning, once, when the store begins to fill up; again only when it had room in between.
   */
  saved(bytes: number): string | undefined {
    const wasFillingUp = this.#isFillingUp;
    this.#isFillingUp = bytes > this.#warnAbove;
    if (bytes > this.#contentWith) this.#makeRoom(bytes);
    if (!this.#isFillingUp || wasFillingUp) return undefined;
    const maxTotalBytes = this.#maxBytes;
    const warning = `The store holds ${bytes} bytes, and may hold ${maxTotalBytes}. ${this.#whatComes()}`;
    this.#parts.log.warn("the store is filling up", { usageBytes: bytes, maxTotalBytes, hint: this.#whatComes() });
    return warning;
  }

  /** Saves; if that is refused because the store is full, makes room, as far as there can be enough, and tries once more. */
  async withRoom<T>(save: () => Promise<T>): Promise<T> {
    try {
      return await save();
    } catch (error) {
      if (!isWorkrailError(error) || error.details["limit"] !== "maxTotalBytes") throw error;
      const room = this.#maxBytes - Number(error.details["sizeBytes"]);
      const downTo = Math.min(room, this.#policy.quota.downTo);
      const policy = { ...this.#policy, quota: { above: downTo, downTo } };
      const { bytesAfter } = await this.cleanUp({ dryRun: true, doubtsClock: true }, policy);
      if (bytesAfter > room) throw error;
      await this.cleanUp({ doubtsClock: true }, policy);
      return save();
    }
  }

  /** Within a save's turn, on a disk that is full: removes, for good, no more than there must go. */
  async makeRoomOnDisk(needed: Omit<RoomNeeded, "inUse">): Promise<void> {
    this.#tell(await makeRoom(this.#parts, { ...needed, inUse: this.#parts.sessions.inUse() }));
  }

  #makeRoom(bytes: number): void {
    this.#contentWith = Number.POSITIVE_INFINITY;
    this.#parts.background.run("make room", async () => {
      let left = bytes;
      try {
        left = (await this.cleanUp({ doubtsClock: true })).bytesAfter;
      } finally {
        // What is left may all be protected: to look again is worth it only once there is more.
        this.#contentWith = left > this.#policy.quota.above ? left + shareOf(this.#maxBytes, 1) : this.#policy.quota.above;
      }
    });
  }

  #whatComes(): string {
    const { cleanUpFromPercent } = this.#parts.settings.housekeeping;
    return `Above ${cleanUpFromPercent} % the trash is emptied and the least recently used sessions are removed, but those tagged keep.`;
  }

  #tell({ removed, bytesBefore, bytesAfter }: CleanUpReport): void {
    if (removed.length === 0) return;
    const sessions = new Set(removed.map(({ sessionId }) => sessionId)).size;
    const isLoss = removed.some(({ from, to }) => from === "live" && to === "nowhere");
    const fields = { sessions, freedBytes: bytesBefore - bytesAfter, reasons: [...new Set(removed.map(({ reason }) => reason))] };
    this.#parts.log[isLoss ? "warn" : "info"]("the store was cleaned up", fields);
  }
}

function policyOf({ limits: { maxTotalBytes }, housekeeping }: Settings): UpkeepPolicy {
  const { retentionDays, trashDays, trashPercent, cleanUpFromPercent, cleanUpToPercent } = housekeeping;
  return {
    retentionMs: retentionDays === 0 ? undefined : retentionDays * DAY_MS,
    asideMs: HANDLE_MS,
    trashMs: trashDays * DAY_MS,
    trashBytes: shareOf(maxTotalBytes, trashPercent),
    quota: {
      above: shareOf(maxTotalBytes, cleanUpFromPercent),
      downTo: shareOf(maxTotalBytes, Math.min(cleanUpToPercent, cleanUpFromPercent)),
    },
  };
}

function shareOf(bytes: number, percent: number): number {
  return Math.floor((bytes * percent) / 100);
}

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
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
import { claimJob } from "./claim-job.ts";
import type { Settings } from "./settings.ts";
import type { Parts } from "./tokens.ts";

/** Delay after opening, so that the first calls, which may use a session that is due for removal, are done. */
const FIRST_MS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

type HousekeeperParts = Pick<
  Parts,
  "settings" | "storage" | "catalog" | "blobs" | "locking" | "clock" | "background" | "log" | "accesses" | "sessions"
>;

/** Result of applying the policy. */
export interface HousekeepingResult {
  readonly report: CleanUpReport;
  /** Rows that were removed from the audit log. */
  readonly auditRows: number;
}

/** Applies the retention policy: removes unused data, warns when the store fills up, and makes room. */
export class Housekeeper {
  readonly #parts: HousekeeperParts;
  readonly #maxBytes: number;
  readonly #warnAbove: number;
  readonly #policy: UpkeepPolicy;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isFillingUp = false;
  /** Usage above which room is made. Raised when nothing more can be removed, to avoid a useless search. */
  #contentWith: number;

  constructor(parts: HousekeeperParts) {
    const { limits, housekeeping } = parts.settings;
    this.#parts = parts;
    this.#maxBytes = limits.maxTotalBytes;
    this.#warnAbove = shareOf(limits.maxTotalBytes, housekeeping.warnPercent);
    this.#policy = policyOf(parts.settings);
    this.#contentWith = this.#policy.quota.above;
  }

  /** Applies the policy soon after opening and then once a day. The timer does not keep a finished program running. */
  start(): void {
    // Called again after each time the memory fallback was written to disk.
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#daily(), FIRST_MS).unref();
  }

  #daily(): void {
    this.#parts.background.run("clean up", async () => {
      const { signal } = this.#stopping;
      if (!signal.aborted) await claimJob(this.#parts.storage, "clean up", () => this.cleanUp({ signal, doubtsClock: true }));
    });
    this.#timer = setTimeout(() => this.#daily(), DAY_MS).unref();
  }

  /** Accepts no more work. A running clean-up ends with its current session; room that saves requested is still made. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#stopping.abort();
  }

  /** Applies the policy now. */
  async cleanUp(options: Omit<UpkeepOptions, "inUse"> = {}, policy: UpkeepPolicy = this.#policy): Promise<CleanUpReport> {
    return (await this.keepHouse(options, policy)).report;
  }

  /** Applies the policy now, and also returns the number of rows removed from the audit log. */
  async keepHouse(options: Omit<UpkeepOptions, "inUse"> = {}, policy: UpkeepPolicy = this.#policy): Promise<HousekeepingResult> {
    // Recent loads count as uses.
    await this.#parts.accesses.write();
    const inUse = this.#parts.sessions.inUse();
    const report = await cleanUp(this.#parts, policy, { pause: yieldToEventLoop, ...options, inUse });
    if (report.dryRun) return { report, auditRows: 0 };
    this.#tell(report);
    return { report, auditRows: await this.#cutAuditLog(options) };
  }

  async #cutAuditLog({ signal, doubtsClock }: Pick<UpkeepOptions, "signal" | "doubtsClock">): Promise<number> {
    const { auditDays } = this.#parts.settings.housekeeping;
    if (auditDays === 0 || signal?.aborted === true) return 0;
    const rows = await cutAudit(this.#parts, auditDays * DAY_MS, { signal, doubtsClock, pause: yieldToEventLoop });
    if (rows > 0) this.#parts.log.info("old rows of the audit log were removed", { rows, auditDays });
    return rows;
  }

  /**
   * Called after each save. Starts making room in a store that is nearly full.
   *
   * @returns a warning once when the store begins to fill up, and again only after it had room in between.
   */
  saved(bytes: number): string | undefined {
    const wasFillingUp = this.#isFillingUp;
    this.#isFillingUp = bytes > this.#warnAbove;
    if (bytes > this.#contentWith) this.#makeRoom(bytes);
    if (!this.#isFillingUp || wasFillingUp) return undefined;
    const maxTotalBytes = this.#maxBytes;
    const warning = `The store holds ${bytes} of at most ${maxTotalBytes} bytes. ${this.#whatComes()}`;
    this.#parts.log.warn("the store is filling up", { usageBytes: bytes, maxTotalBytes, hint: this.#whatComes() });
    return warning;
  }

  /** Saves. When the store is full, makes room if enough can be made, and saves again. */
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

  /** Removes checkpoints for good when the disk is full, no more than needed, within a save's turn. */
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
        // The rest may all be protected: search again only once there is more data.
        this.#contentWith = left > this.#policy.quota.above ? left + shareOf(this.#maxBytes, 1) : this.#policy.quota.above;
      }
    });
  }

  #whatComes(): string {
    const { cleanUpFromPercent } = this.#parts.settings.housekeeping;
    return `Above ${cleanUpFromPercent} % the trash is emptied and the least recently used sessions are removed, except those tagged keep.`;
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

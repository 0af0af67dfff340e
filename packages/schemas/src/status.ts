import type { StoreStatus } from "@workrail/runtime";
import { count, figure, flag, listOf, objectOf, oneOf, type ResultSchema, text, texts, time } from "./fields.ts";

const use = {
  usedBytes: count("bytes as stored"),
  limitBytes: count("the limit"),
  share: figure("`usedBytes` divided by `limitBytes`, to three places"),
};

export const STORE_STATUS: ResultSchema<StoreStatus & { readonly dataDir: string }> = objectOf<StoreStatus & { readonly dataDir: string }>({
  dataDir: text("its data directory"),
  durability: oneOf(["disk", "memory"], "`disk`, or `memory` while [the disk fails](../how-to/when-the-disk-is-full-or-gone.md)"),
  readOnly: flag("whether the store is [open for reading only](settings.md#read-only)"),
  mode: text("how the storage works, such as the SQLite driver in use"),
  warnings: texts("warnings for people, a sentence each"),
  sessions: count("sessions that hold checkpoints"),
  checkpoints: count("how many there are, damaged ones included"),
  damaged: count("how many of them are marked as damaged"),
  liveBytes: count("size of their files"),
  trashed: count("checkpoints in the trash"),
  trashBytes: count("size of their files"),
  pendingRemovals: count("files of removed checkpoints that are still to be removed"),
  neededRemovals: count("number of them that other checkpoints depend on"),
  removalsHeldUntil: time("time until which a backup delays these removals; missing without a backup").optional(),
  mendings: count("number of repairs of the catalog in place; missing if there was none").optional(),
  quota: objectOf<StoreStatus["quota"]>(use).describe("of the store, including the trash"),
  search: objectOf<NonNullable<StoreStatus["search"]>>({
    sessions: count("fully indexed sessions"),
    pending: count("sessions with new texts to index, at the latest by the next search"),
    bytes: count("its size on disk"),
  })
    .optional()
    .describe("state of the search index; missing if each process builds its own, as in a sealed store"),
  vectors: objectOf<NonNullable<StoreStatus["vectors"]>>({
    spaces: listOf(
      objectOf<NonNullable<StoreStatus["vectors"]>["spaces"][number]>({
        name: text("the embedder"),
        dimensions: count("numbers of each vector"),
        pending: count("sessions to embed"),
        vectors: count("embedded checkpoints"),
      }),
      "one per embedder, the most recently used first",
    ),
    bytes: count("their size on disk"),
  })
    .optional()
    .describe("state of the search by meaning; missing if nothing was embedded"),
  largestSessions: listOf(
    objectOf<StoreStatus["largestSessions"][number]>({
      sessionId: text("the session"),
      checkpoints: count("how many it has"),
      ...use,
      lastAccessedAt: time("time of its last save or load"),
    }),
    "the ten largest, the largest first",
  ),
  unfinishedErasures: texts("erased checkpoints with remaining parts in the store, which the next opening for writing erases"),
  quarantine: objectOf<StoreStatus["quarantine"]>({
    files: count("how many"),
    bytes: count("their size"),
    places: texts("the first twenty"),
  }).describe("quarantined damaged files"),
  lastCleanUp: objectOf<NonNullable<StoreStatus["lastCleanUp"]>>({
    at: time("its time"),
    trashed: count("checkpoints moved to the trash"),
    removed: count("checkpoints removed for good"),
    sessions: count("number of their sessions"),
    reasons: texts("the distinct reasons"),
  })
    .optional()
    .describe("the last [automatic removal](settings.md#automatic-removal); missing if the audit log has none"),
  lastBackupAt: time("beginning of the last finished backup; missing if the audit log has none").optional(),
});

import { inOwnName } from "@workrail/process";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import type { Resource } from "../resource.ts";

const count = (): z.ZodNumber => z.number().int().min(0);
const time = (): z.ZodString => z.string();
const use = {
  usedBytes: count().describe("Bytes as stored"),
  limitBytes: count().describe("How many there may be"),
  share: z.number().describe("The one in parts of the other, to three places"),
};

/** Content of the resource, for programs. Later versions may add fields. */
export const storeStatusSchema: z.ZodObject = z.looseObject({
  dataDir: z.string().optional().describe("Where the store is"),
  durability: z.enum(["disk", "memory"]).describe("Where saves go: memory while the disk fails"),
  readOnly: z.boolean().describe("Whether nothing can be saved, because the store is open for reading alone"),
  mode: z.string().describe("How the storage works at present, such as the SQLite driver in use"),
  warnings: z.array(z.string()).describe("What a person should know or do, a sentence each"),
  sessions: count().describe("Sessions that hold checkpoints"),
  checkpoints: count().describe("How many there are, damaged ones included"),
  damaged: count().describe("How many of them are marked as damaged"),
  liveBytes: count().describe("Size of their files"),
  trashed: count().describe("Checkpoints in the trash"),
  trashBytes: count().describe("Size of their files"),
  pendingRemovals: count().describe("Files of removed checkpoints that are still to be removed"),
  neededRemovals: count().describe("How many of them stay because other checkpoints are stored against them"),
  removalsHeldUntil: time().optional().describe("Until when a backup has none of them be removed; missing while nobody does"),
  mendings: count().optional().describe("How often the catalog was damaged and mended in its place; missing while it never was"),
  quota: z.looseObject(use).describe("Of the store, the trash included"),
  search: z
    .looseObject({
      sessions: count().describe("Sessions all of whose texts are in it"),
      pending: count().describe("Sessions whose newest texts are not: they are indexed at the latest by the next search"),
      bytes: count().describe("What it takes on the disk"),
    })
    .optional()
    .describe("How far the search index is; missing where each process makes its own, as of a sealed store"),
  vectors: z
    .looseObject({
      spaces: z
        .array(
          z.looseObject({
            name: z.string().describe("The embedder"),
            dimensions: count(),
            pending: count().describe("Sessions that are to be looked at"),
            vectors: count().describe("Checkpoints that are embedded"),
          }),
        )
        .describe("Of each embedder that was in use, the one used last first"),
      bytes: count().describe("What they take on the disk"),
    })
    .optional()
    .describe("What can be found by meaning; missing where nothing was embedded"),
  largestSessions: z
    .array(z.looseObject({ sessionId: z.string(), checkpoints: count(), ...use, lastAccessedAt: time().describe("Last save or load") }))
    .describe("The ten largest, the largest first"),
  unfinishedErasures: z
    .array(z.string())
    .describe("Erased checkpoints of which parts are still in the store: the next opening for writing finishes their erasure"),
  quarantine: z
    .looseObject({
      files: count(),
      bytes: count(),
      places: z.array(z.string()).describe("The first twenty"),
    })
    .describe("What was put aside because it is damaged"),
  lastCleanUp: z
    .looseObject({
      at: time(),
      trashed: count().describe("Checkpoints that went into the trash"),
      removed: count().describe("Checkpoints that are gone for good"),
      sessions: count().describe("Of so many sessions"),
      reasons: z.array(z.string()).describe("Why, each reason once"),
    })
    .optional()
    .describe("When the store followed its policy last; missing when the audit log has none"),
  lastBackupAt: time().optional().describe("When the last finished backup was begun; missing when the audit log has none"),
});

/** Resource with the status of the store, for a host to show. */
export function storeStatus(store: LazyStore): Resource {
  return {
    uri: "workrail://status",
    name: "status",
    title: "Status of the store",
    description: "What the store of checkpoints holds, against which limits, and what a person should know of it.",
    async read() {
      const workrail = await store.get();
      const { warnings, ...status } = await workrail.storeStatus();
      return { dataDir: workrail.dataDir, ...status, warnings: warnings.map((warning) => inOwnName(warning, "agent")) };
    },
  };
}

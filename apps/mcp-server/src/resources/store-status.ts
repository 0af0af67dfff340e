import { inOwnName } from "@workrail/process";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import type { Resource } from "../resource.ts";

const count = (): z.ZodNumber => z.number().int().min(0);
const time = (): z.ZodString => z.string();
const use = {
  usedBytes: count().describe("Bytes as stored"),
  limitBytes: count().describe("The limit"),
  share: z.number().describe("usedBytes divided by limitBytes, to three places"),
};

/** Content of the resource, for programs. Later versions may add fields. */
export const storeStatusSchema: z.ZodObject = z.looseObject({
  dataDir: z.string().optional().describe("The data directory"),
  durability: z.enum(["disk", "memory"]).describe("Where saves go: memory while the disk fails"),
  readOnly: z.boolean().describe("Whether the store is read-only"),
  mode: z.string().describe("How the storage works, such as the SQLite driver in use"),
  warnings: z.array(z.string()).describe("Warnings for people, a sentence each"),
  sessions: count().describe("Sessions that hold checkpoints"),
  checkpoints: count().describe("All checkpoints, including damaged ones"),
  damaged: count().describe("Checkpoints marked as damaged"),
  liveBytes: count().describe("Size of their files"),
  trashed: count().describe("Checkpoints in the trash"),
  trashBytes: count().describe("Size of their files"),
  pendingRemovals: count().describe("Files of removed checkpoints that are still to be removed"),
  neededRemovals: count().describe("Those of them that other checkpoints depend on"),
  removalsHeldUntil: time().optional().describe("Time until which a backup delays these removals; missing without a backup"),
  mendings: count().optional().describe("Repairs of the catalog in place; missing if there was none"),
  quota: z.looseObject(use).describe("Of the store, including the trash"),
  search: z
    .looseObject({
      sessions: count().describe("Fully indexed sessions"),
      pending: count().describe("Sessions with new texts to index, at the latest by the next search"),
      bytes: count().describe("Size on disk"),
    })
    .optional()
    .describe("State of the search index; missing if each process builds its own, as in a sealed store"),
  vectors: z
    .looseObject({
      spaces: z
        .array(
          z.looseObject({
            name: z.string().describe("The embedder"),
            dimensions: count(),
            pending: count().describe("Sessions to embed"),
            vectors: count().describe("Embedded checkpoints"),
          }),
        )
        .describe("One per embedder, the most recently used first"),
      bytes: count().describe("Size on disk"),
    })
    .optional()
    .describe("State of the search by meaning; missing if nothing was embedded"),
  largestSessions: z
    .array(z.looseObject({ sessionId: z.string(), checkpoints: count(), ...use, lastAccessedAt: time().describe("Last save or load") }))
    .describe("The ten largest, the largest first"),
  unfinishedErasures: z
    .array(z.string())
    .describe("Erased checkpoints with remaining parts in the store, which the next opening for writing erases"),
  quarantine: z
    .looseObject({
      files: count(),
      bytes: count(),
      places: z.array(z.string()).describe("The first twenty"),
    })
    .describe("Quarantined damaged files"),
  lastCleanUp: z
    .looseObject({
      at: time(),
      trashed: count().describe("Checkpoints moved to the trash"),
      removed: count().describe("Checkpoints removed for good"),
      sessions: count().describe("Sessions of these checkpoints"),
      reasons: z.array(z.string()).describe("The distinct reasons"),
    })
    .optional()
    .describe("The last automatic removal; missing if the audit log has none"),
  lastBackupAt: time().optional().describe("Beginning of the last finished backup; missing if the audit log has none"),
});

/** Resource with the status of the store, for a host to show. */
export function storeStatus(store: LazyStore): Resource {
  return {
    uri: "workrail://status",
    name: "status",
    title: "Status of the store",
    description: "Content and limits of the checkpoint store, with warnings for people.",
    async read() {
      const workrail = await store.get();
      const { warnings, ...status } = await workrail.storeStatus();
      return { dataDir: workrail.dataDir, ...status, warnings: warnings.map((warning) => inOwnName(warning, "agent")) };
    },
  };
}

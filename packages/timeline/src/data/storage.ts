import * as z from "zod";
import { reading } from "./call.ts";
import { type TimelineRow, timelineRow } from "./timeline.ts";

/** The use of the store, the next removals, and the trash. */
export interface StorageUse {
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly trashBytes: number;
  readonly checkpoints: number;
  readonly warnings: readonly string[];
  /** Checkpoints that the store's own policy would remove now. */
  readonly next: readonly {
    readonly sessionId: string;
    readonly reason: string;
    readonly to: string;
    readonly checkpoints: number;
    readonly bytes: number;
  }[];
  /** Longest there first. */
  readonly trash: readonly (TimelineRow & { readonly sessionId: string; readonly trashedAt: string })[];
  readonly trashed: number;
}

const MOST_TRASH = 100;

export const storage = reading(z.object({}), async ({ store }): Promise<StorageUse> => {
  const status = await store.storeStatus();
  const { removed } = await store.cleanUp({ dryRun: true });
  const trash = await store.listTrash();
  return {
    usedBytes: status.quota.usedBytes,
    limitBytes: status.quota.limitBytes,
    trashBytes: status.trashBytes,
    checkpoints: status.checkpoints,
    warnings: status.warnings,
    next: removed.map(({ checkpointIds, ...rest }) => ({ ...rest, checkpoints: checkpointIds.length })),
    trash: trash.slice(-MOST_TRASH).map((each) => ({ ...timelineRow(each), sessionId: each.sessionId, trashedAt: each.trashedAt })),
    trashed: status.trashed,
  };
});

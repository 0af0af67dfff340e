import { ownerOf } from "../../model/side-record.ts";
import type { SessionId } from "../../model/ids.ts";
import type { TrashedCheckpoint } from "../../catalog/queries/query-trash.ts";
import type { ListPorts } from "../load/list-checkpoints.ts";
import { eachTrashed } from "./view-store.ts";

export interface ListTrashInput {
  readonly sessionId?: SessionId | undefined;
}

/** Lists the trash, or one session's part of it, the longest there first. Side records are left out. */
export async function listTrash({ catalog, locking }: ListPorts, input: ListTrashInput = {}): Promise<readonly TrashedCheckpoint[]> {
  return locking.shared(async () => {
    const entries: TrashedCheckpoint[] = [];
    for await (const entry of eachTrashed(catalog, input)) if (ownerOf(entry.record) === undefined) entries.push(entry);
    return entries;
  });
}

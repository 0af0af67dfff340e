import type { TrashPage, TrashQuery } from "../ports/catalog.ts";
import type { ListPorts } from "./list-checkpoints.ts";

/** What is in the trash, the longest there first. */
export async function listTrash({ catalog, locking }: ListPorts, query: TrashQuery): Promise<TrashPage> {
  return locking.shared(() => catalog.trash(query));
}

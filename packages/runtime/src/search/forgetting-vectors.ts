import type { Background, ChainedStorage } from "@workrail/core";
import { observedCatalog } from "@workrail/wrappers";

/** Wraps a storage so that checkpoints that are no longer live lose their vectors soon after, whether or not an embedder is set. */
export function forgettingVectors(storage: ChainedStorage, background: Background): ChainedStorage {
  const { vectors } = storage;
  if (vectors === undefined) return storage;
  const catalog = observedCatalog(storage.catalog, (rows) => {
    // Live checkpoints that move to the trash or are removed.
    const gone = rows.flatMap((row) => {
      const wasLive = row.table === "checkpoint" && row.was !== undefined && row.was.trashedAt === undefined;
      return wasLive && (row.now === undefined || row.now.trashedAt !== undefined) ? [row.was.record.id] : [];
    });
    if (gone.length > 0) background.run("forget vectors", () => vectors.forget(gone));
  });
  return { ...storage, catalog };
}

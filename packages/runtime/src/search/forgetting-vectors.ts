import { type Background, type ChainedStorage, observed, type RowChange } from "@workrail/core";

/** Wraps a storage so that checkpoints that are no longer live lose their vectors soon after, whether or not an embedder is set. */
export function forgettingVectors(storage: ChainedStorage, background: Background): ChainedStorage {
  const { vectors } = storage;
  if (vectors === undefined) return storage;
  const catalog = observed(storage.catalog, (rows) => {
    const gone = rows.flatMap((row) => (isGone(row) ? [row.was.record.id] : []));
    if (gone.length > 0) background.run("forget vectors", () => vectors.forget(gone));
  });
  return { ...storage, catalog };
}

/** True when a live checkpoint moves to the trash or is removed. */
function isGone(row: RowChange): row is Extract<RowChange, { table: "checkpoint" }> & { readonly was: object } {
  return row.table === "checkpoint" && row.was?.trashedAt === undefined && (row.now === undefined || row.now.trashedAt !== undefined);
}

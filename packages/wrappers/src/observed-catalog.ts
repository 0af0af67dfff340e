import { type CatalogPort, mapped, type RowChange } from "@workrail/core";

/** Reports the changed rows of every change, after it is durable. */
export function observedCatalog(catalog: CatalogPort, onChanged: (rows: readonly RowChange[]) => void): CatalogPort {
  return {
    read: (reads) => catalog.read(reads),
    async change(rule) {
      let applied: readonly RowChange[] = [];
      const outcome = await catalog.change(
        mapped(rule, (decision) => {
          const { rows, blobs } = decision;
          applied = rows;
          if (blobs === undefined) return decision;
          return {
            ...decision,
            async blobs() {
              const isApplied = await blobs();
              if (!isApplied) applied = [];
              return isApplied;
            },
          };
        }),
      );
      onChanged(applied);
      return outcome;
    },
  };
}

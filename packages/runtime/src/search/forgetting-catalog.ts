import type { Background, Catalog, VectorIndex } from "@workrail/core";

/** Wraps a catalog so that checkpoints removed by a commit lose their vectors soon after, whether or not an embedder is set. */
export function forgettingVectors(catalog: Catalog, vectors: VectorIndex, background: Background): Catalog {
  const commit: Catalog["commit"] = async (change) => {
    const outcome = await catalog.commit(change);
    if (outcome.status !== "committed") return outcome;
    const moved = change.move?.from === "live" ? outcome.moved : [];
    const gone = [...outcome.removed, ...moved].map(({ id }) => id);
    if (gone.length > 0) background.run("forget vectors", () => vectors.forget(gone));
    return outcome;
  };
  return new Proxy(catalog, {
    get(target, name) {
      if (name === "commit") return commit;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

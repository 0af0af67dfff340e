import type { CheckpointId } from "../../model/ids.ts";
import type { Edge, Erasure } from "../../ports/catalog.ts";
import type { CatalogPort } from "../catalog-port.ts";

/** Lists unfinished erasures, each with the edges of checkpoints that may need the erased bytes. */
export async function listErasures(catalog: CatalogPort): Promise<readonly Erasure[]> {
  const { erasures } = await catalog.read({ erasures: { of: "erasures" } });
  const found: Erasure[] = [];
  for (const erasure of erasures) found.push({ ...erasure, edges: await edgesTo(catalog, erasure.checkpointId) });
  return found;
}

/** Finds edges of known checkpoints to a removed one, directly or through other removed checkpoints. */
async function edgesTo(catalog: CatalogPort, id: CheckpointId): Promise<readonly Edge[]> {
  const seen = new Set([id]);
  const found: Edge[] = [];
  for (let bases: readonly CheckpointId[] = [id]; bases.length > 0;) {
    const { edges } = await catalog.read({ edges: { of: "edges", bases } });
    const ids = [...new Set(edges.map(({ dependent }) => dependent))];
    const { known } = await catalog.read({
      known: { of: "checkpoints", where: { state: "any", ids }, order: "any", limit: ids.length },
    });
    const isKnown = new Set(known.map(({ record }) => record.id));
    found.push(...edges.filter(({ dependent }) => isKnown.has(dependent)));
    bases = ids.filter((each) => !isKnown.has(each) && !seen.has(each));
    for (const each of bases) seen.add(each);
  }
  return found;
}

import type { CheckpointId, SessionId, BlobRef } from "../../model/ids.ts";
import type { Edge } from "../rows.ts";
import type { CatalogReader } from "../catalog-port.ts";

/** Removed checkpoint of which nothing may remain. */
export interface Erasure {
  readonly checkpointId: CheckpointId;
  readonly sessionId: SessionId;
  readonly blob: BlobRef;
  /**
   * Edges of checkpoints, live or in the trash, whose delta may be based on the erased checkpoint, directly or through other
   * removed checkpoints. The blob stays until these checkpoints are stored differently and the edges are dropped.
   */
  readonly edges: readonly Edge[];
}

/** Lists unfinished erasures, each with the edges of checkpoints that may need the erased bytes. */
export async function listErasures(catalog: CatalogReader): Promise<readonly Erasure[]> {
  const { erasures } = await catalog.read({ erasures: { of: "erasures" } });
  const found: Erasure[] = [];
  for (const erasure of erasures) found.push({ ...erasure, edges: await edgesTo(catalog, erasure.checkpointId) });
  return found;
}

/** Finds edges of known checkpoints to a removed one, directly or through other removed checkpoints. */
async function edgesTo(catalog: CatalogReader, id: CheckpointId): Promise<readonly Edge[]> {
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

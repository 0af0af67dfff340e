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
  const { to, isKnown } = await edgesTo(catalog, new Set(erasures.map(({ checkpointId }) => checkpointId)));
  return erasures.map((erasure) => ({ ...erasure, edges: edgesFrom(erasure.checkpointId, to, isKnown) }));
}

/** Edges by their base, and the dependents that are checkpoints, live or in the trash. */
interface Graph {
  readonly to: ReadonlyMap<CheckpointId, readonly Edge[]>;
  readonly isKnown: ReadonlySet<CheckpointId>;
}

/** Reads the edges to removed checkpoints, and through other removed ones, of all at once. */
async function edgesTo(catalog: CatalogReader, removed: ReadonlySet<CheckpointId>): Promise<Graph> {
  const seen = new Set(removed);
  const to = new Map<CheckpointId, Edge[]>();
  const isKnown = new Set<CheckpointId>();
  for (let bases = [...removed]; bases.length > 0;) {
    const { edges } = await catalog.read({ edges: { of: "edges", bases } });
    for (const edge of edges) to.set(edge.base, [...(to.get(edge.base) ?? []), edge]);
    const ids = [...new Set(edges.map(({ dependent }) => dependent))];
    const { known } = await catalog.read({
      known: { of: "checkpoints", where: { state: "any", ids }, order: "any", limit: ids.length },
    });
    for (const { record } of known) isKnown.add(record.id);
    bases = ids.filter((each) => !isKnown.has(each) && !seen.has(each));
    for (const each of bases) seen.add(each);
  }
  return { to, isKnown };
}

/** Returns the edges of known checkpoints to a removed one, directly or through other removed checkpoints. */
function edgesFrom(id: CheckpointId, to: Graph["to"], isKnown: Graph["isKnown"]): readonly Edge[] {
  const bases = new Set([id]);
  const found: Edge[] = [];
  // The set grows while it is walked.
  for (const base of bases) {
    for (const edge of to.get(base) ?? []) {
      if (isKnown.has(edge.dependent)) found.push(edge);
      else bases.add(edge.dependent);
    }
  }
  return found;
}

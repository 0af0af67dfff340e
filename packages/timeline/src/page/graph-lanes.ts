/** A node of the graph. Newest first: a node precedes its parent. */
export interface GraphNode {
  readonly id: string;
  readonly parentId: string | null;
}

/** The lines of one row: where its node stands, and from which lane at the top each line goes to which lane at the bottom. */
export interface GraphRow {
  readonly lane: number;
  readonly lines: readonly { readonly from: number | undefined; readonly to: number | undefined; readonly lane: number }[];
  /** Number of lanes in use. */
  readonly width: number;
}

/** Places each checkpoint on a lane, as `git log --graph` does. One pass, newest first. */
export function graphLanes(nodes: readonly GraphNode[]): readonly GraphRow[] {
  const known = new Set(nodes.map(({ id }) => id));
  // For each lane the next node on it; `undefined`: the lane is free.
  const lanes: (string | undefined)[] = [];
  return nodes.map(({ id, parentId }) => {
    const own = lanes.flatMap((next, index) => (next === id ? [index] : []));
    const lane = own[0] ?? freeLane(lanes);
    const before = [...lanes];
    for (const index of own) lanes[index] = undefined;
    lanes[lane] = parentId !== null && known.has(parentId) ? parentId : undefined;
    const lines = Array.from({ length: Math.max(before.length, lanes.length) }, (_, index) => {
      const isOwn = own.includes(index);
      const from = before[index] === undefined ? undefined : index;
      const to = isOwn || index === lane ? (index === lane && lanes[lane] !== undefined ? lane : undefined) : from;
      return { from, to, lane: isOwn ? lane : index };
    }).filter(({ from, to }) => from !== undefined || to !== undefined);
    const width = Math.max(lane + 1, before.length, lanes.length);
    while (lanes.length > 0 && lanes.at(-1) === undefined) lanes.pop();
    return { lane, lines, width };
  });
}

function freeLane(lanes: readonly (string | undefined)[]): number {
  const free = lanes.indexOf(undefined);
  return free < 0 ? lanes.length : free;
}

/** A node of the graph. Newest first: a node precedes its parent. */
export interface GraphNode {
  readonly id: string;
  readonly parentId: string | null;
}

/** Drawing before a node, and the line above it where the lines of forks join, if they do. */
export interface GraphRow {
  readonly joint: string | undefined;
  readonly lead: string;
}

/** Draws a graph with one row for each node and one column for each line of work, joined at forks. */
export function drawGraph(nodes: readonly GraphNode[]): readonly GraphRow[] {
  const known = new Set(nodes.map(({ id }) => id));
  // For each column the next node on it; `undefined`: the column is free.
  const columns: (string | undefined)[] = [];
  return nodes.map(({ id, parentId }) => {
    const own = columns.flatMap((next, index) => (next === id ? [index] : []));
    const column = own[0] ?? freeColumn(columns);
    const joint = own.length > 1 ? drawJoint(columns, own) : undefined;
    for (const index of own) columns[index] = undefined;
    columns[column] = id;
    trim(columns);
    const lead = columns.map((next, index) => (index === column ? "●" : next === undefined ? " " : "│"));
    columns[column] = parentId !== null && known.has(parentId) ? parentId : undefined;
    return { joint, lead: lead.join(" ") };
  });
}

function freeColumn(columns: readonly (string | undefined)[]): number {
  const free = columns.indexOf(undefined);
  return free < 0 ? columns.length : free;
}

function trim(columns: (string | undefined)[]): void {
  while (columns.length > 0 && columns.at(-1) === undefined) columns.pop();
}

/** Draws the joint of all lines that lead to a node; they end in the first of them. */
function drawJoint(columns: readonly (string | undefined)[], own: readonly number[]): string {
  const [first = 0, last = 0] = [own[0], own.at(-1)];
  const cells = columns.map((next, index) => {
    if (index === first) return "├";
    if (index === last) return "╯";
    if (own.includes(index)) return "┴";
    if (index > first && index < last) return next === undefined ? "─" : "┼";
    return next === undefined ? " " : "│";
  });
  return cells
    .map((cell, index) => (index >= first && index < last ? `${cell}─` : `${cell} `))
    .join("")
    .trimEnd();
}

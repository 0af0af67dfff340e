/** A node of the graph. Newest first: a node precedes its parent. */
export interface GraphNode {
  readonly id: string;
  readonly parentId: string | null;
}

/** Prefix of a node's row, and the row above it that joins forks, if there is one. */
export interface GraphRow {
  readonly joint: string | undefined;
  readonly prefix: string;
}

/** Draws a graph with one row for each node and one column for each line of work, joined at forks. */
export function drawGraph(nodes: readonly GraphNode[]): readonly GraphRow[] {
  const known = new Set(nodes.map(({ id }) => id));
  // The next node of each column; `undefined` for a free column.
  const columns: (string | undefined)[] = [];
  return nodes.map(({ id, parentId }) => {
    const own = columns.flatMap((next, index) => (next === id ? [index] : []));
    const column = own[0] ?? freeColumn(columns);
    const joint = own.length > 1 ? drawJoint(columns, own) : undefined;
    for (const index of own) columns[index] = undefined;
    columns[column] = id;
    trim(columns);
    const prefix = columns.map((next, index) => (index === column ? "●" : next === undefined ? " " : "│"));
    columns[column] = parentId !== null && known.has(parentId) ? parentId : undefined;
    return { joint, prefix: prefix.join(" ") };
  });
}

function freeColumn(columns: readonly (string | undefined)[]): number {
  const free = columns.indexOf(undefined);
  return free < 0 ? columns.length : free;
}

function trim(columns: (string | undefined)[]): void {
  while (columns.length > 0 && columns.at(-1) === undefined) columns.pop();
}

/** Draws the row that joins all columns of a node into the first one. */
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

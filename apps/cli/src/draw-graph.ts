/** What a graph is drawn of: the newest first, what continues a node before it. */
export interface GraphNode {
  readonly id: string;
  readonly parentId: string | null;
}

/** What stands in front of a node, and the line above it where lines of forks come together, if they do. */
export interface GraphRow {
  readonly joint: string | undefined;
  readonly lead: string;
}

/** Draws how nodes continue each other, a row for each: a column for each line of work, joined where it forked. */
export function drawGraph(nodes: readonly GraphNode[]): readonly GraphRow[] {
  const known = new Set(nodes.map(({ id }) => id));
  // For each column the node that it leads to; `undefined`: the column is free.
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

/** All lines that lead to a node end in the first of them. */
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

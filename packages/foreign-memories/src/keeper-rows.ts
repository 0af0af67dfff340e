import type { ForeignRow, ForeignTables } from "./foreign-tables.ts";

/** The rows of one session. */
export interface KeeperRows {
  readonly session: ForeignRow;
  readonly items: readonly ForeignRow[];
  readonly checkpoints: readonly ForeignRow[];
  /** Ids of items by the id of the checkpoint that names them. */
  readonly checkpointItems: ReadonlyMap<string, ReadonlySet<string>>;
  readonly checkpointFiles: ReadonlyMap<string, ReadonlySet<string>>;
  readonly files: readonly ForeignRow[];
  readonly journal: readonly ForeignRow[];
  readonly links: readonly ForeignRow[];
  readonly compressed: readonly ForeignRow[];
  readonly deleted: readonly ForeignRow[];
  readonly graph: Readonly<Record<"entities" | "relations" | "observations", readonly ForeignRow[]>>;
  /** Rows of other tables. */
  readonly others: number;
  /** The table that exceeds a limit. */
  readonly tooLarge: string | undefined;
}

/** Columns of all known versions; older databases have fewer. */
const COLUMNS = {
  sessions: [
    "id",
    "name",
    "description",
    "branch",
    "working_directory",
    "parent_id",
    "default_channel",
    "metadata",
    "created_at",
    "updated_at",
  ],
  context_items: ["id", "key", "value", "category", "priority", "channel", "is_private", "metadata", "created_at", "updated_at"],
  checkpoints: ["id", "name", "description", "metadata", "git_status", "git_branch", "created_at"],
  checkpoint_items: ["context_item_id"],
  checkpoint_files: ["file_cache_id"],
  file_cache: ["id", "file_path", "hash", "size"],
  journal_entries: ["entry", "mood", "tags", "created_at"],
  context_relationships: ["from_key", "to_key", "relationship_type", "metadata", "created_at"],
  compressed_context: ["original_count", "compressed_data", "date_range_start", "date_range_end", "created_at"],
  deleted_items: ["deleted_at"],
  entities: ["id", "type", "name", "attributes", "created_at"],
  relations: ["subject_id", "predicate", "object_id", "confidence"],
  observations: ["observation", "source", "timestamp"],
} as const;

/** Reads the rows of a session in the order of insertion. */
export function readKeeperRows(tables: ForeignTables, id: string): KeeperRows {
  let tooLarge: string | undefined;
  const select = (table: keyof typeof COLUMNS, value = id, where = "session_id"): readonly ForeignRow[] => {
    const { rows, isTooMuch } = tables.rows({ table, columns: COLUMNS[table], where, value });
    if (isTooMuch) tooLarge ??= table;
    return rows;
  };
  const [session = {}] = select("sessions", id, "id");
  const checkpoints = select("checkpoints");
  const named = (table: "checkpoint_items" | "checkpoint_files"): ReadonlyMap<string, ReadonlySet<string>> =>
    new Map(
      checkpoints.map(({ id: own }) => [
        own ?? "",
        new Set(select(table, own ?? "", "checkpoint_id").map((row) => row[COLUMNS[table][0]] ?? "")),
      ]),
    );
  const others = {
    files: select("file_cache"),
    journal: select("journal_entries"),
    links: select("context_relationships"),
    compressed: select("compressed_context"),
    graph: graphOf(select),
  };
  const rest = { items: select("context_items"), checkpointItems: named("checkpoint_items"), checkpointFiles: named("checkpoint_files") };
  const deleted = select("deleted_items");
  const { graph, ...lists } = others;
  const count = [...Object.values(lists), ...Object.values(graph)].reduce((sum, { length }) => sum + length, 0);
  return { session, checkpoints, ...rest, ...others, deleted, others: count, tooLarge };
}

/** Replaces ids of rows with names of entities, because the ids mean nothing outside the database. */
function graphOf(
  select: (table: "entities" | "relations" | "observations", value?: string, where?: string) => readonly ForeignRow[],
): KeeperRows["graph"] {
  const entities = select("entities");
  const names = new Map(entities.map(({ id, name }) => [id ?? "", name ?? null]));
  const relations = select("relations").map(({ subject_id: subject, object_id: object, ...rest }) => ({
    subject: names.get(subject ?? "") ?? subject ?? null,
    ...rest,
    object: names.get(object ?? "") ?? object ?? null,
  }));
  const observations = entities.flatMap(({ id, name }) =>
    select("observations", id ?? "", "entity_id").map((row) => ({ entity: name ?? null, ...row })),
  );
  return { entities, relations, observations };
}

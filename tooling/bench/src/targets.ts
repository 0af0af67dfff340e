import { type Results } from "./results.ts";
import type { Summary } from "./statistics.ts";
import { KB, label, type LibraryRow, MB } from "./suites/library.ts";

export interface Target {
  readonly figure: string;
  /** Baseline of the figure. */
  readonly against: string;
  readonly atMost: number;
  /** `undefined` when it was not measured in this run. */
  readonly measured: number | undefined;
}

const SAVE = "stringify, digests, gzip, write, fsync, rename, fsync of the directory, one durable commit";
const LOAD = "read, gunzip, hash, parse";

/** Returns our targets with the measurements of this run. Missing a target is not an error. */
export function targets(results: Results): readonly Target[] {
  const row = (operation: LibraryRow["operation"], bytes: number): LibraryRow | undefined =>
    results.library?.find(
      (each) => each.operation === operation && each.contextBytes === bytes && each.checkpoints === 100 && !each.atLimit,
    );
  const save = (bytes: number, atMost: number): Target => {
    return { figure: `save ${label(bytes)}`, against: SAVE, atMost, measured: row("save", bytes)?.ratio };
  };
  const load = (bytes: number): Target => {
    return { figure: `load latest ${label(bytes)}`, against: LOAD, atMost: 1.3, measured: row("load latest", bytes)?.ratio };
  };
  const p99 = (operation: LibraryRow["operation"], bytes: number): Target => {
    const measured = row(operation, bytes)?.p99Ratio;
    return { figure: `${operation} ${label(bytes)}, 99th percentile`, against: "the floor's 99th percentile", atMost: 1.5, measured };
  };
  const mcp = (bytes: number): Target => {
    const found = results.mcp?.rows.find((each) => each.operation === "save" && each.contextBytes === bytes);
    return { figure: `save ${label(bytes)} through MCP`, against: "echo server, then the floor", atMost: 1.3, measured: found?.ratio };
  };
  const bare = results.coldStart?.commands.node.median;
  const command = (name: string, found: Summary | undefined, atMost: number): Target => {
    const measured = found === undefined || bare === undefined ? undefined : found.median / bare;
    return { figure: `workrail ${name}, from start to end`, against: "bare Node that does nothing", atMost, measured };
  };
  const library = results.coldStart?.library;
  const imported = library === undefined ? undefined : library.import.median / library.sqlite.median;
  const grown = results.growth?.marks.at(-1);
  const older = (which: string, ms: number | undefined, latestMs: number | undefined): Target => {
    const measured = ms === undefined || latestMs === undefined ? undefined : ms / latestMs;
    return { figure: `load the ${which} of a grown session by id`, against: "loading its newest", atMost: 10, measured };
  };
  const sealed = (operation: "save" | "load latest"): Target => {
    const measured = results.sealed?.find((each) => each.operation === operation && each.contextBytes === 100 * KB)?.ratio;
    return { figure: `${operation} ${label(100 * KB)}, sealed`, against: "the same in a store in clear", atMost: 1.3, measured };
  };
  const hooks = (results.hooks?.rows ?? []).flatMap(({ call: figure, atMost, ratio }): Target[] =>
    atMost === undefined ? [] : [{ figure: `hook: ${figure}`, against: "bare Node that does nothing", atMost, measured: ratio }],
  );
  const page = "its two statements, prepared";
  const searched = results.search?.at(-1);
  const search = searched === undefined ? undefined : searched.all.library.median / searched.all.floor.median;
  return [
    { figure: "search, median of all kinds of questions", against: "FTS5 with its own ranking", atMost: 1.2, measured: search },
    save(KB, 1.5),
    save(100 * KB, 1.2),
    save(MB, 1.2),
    ...[KB, 100 * KB, MB, 10 * MB].map(load),
    ...langgraph(results),
    sealed("save"),
    sealed("load latest"),
    { figure: "page of 20 among 10,000 of a session", against: page, atMost: 2, measured: results.listing?.ofSession.ratio },
    { figure: "page of 20 among 10,000 of a project", against: page, atMost: 2, measured: results.listing?.ofProject.ratio },
    ...[KB, 100 * KB, MB].map(mcp),
    older("oldest", grown?.oldestLoadMs, grown?.latestLoadMs),
    older("slowest", grown?.slowestLoadMs, grown?.latestLoadMs),
    { figure: "cold start", against: "unbundled server, same SDK, one empty tool", atMost: 0.7, measured: results.coldStart?.ratio },
    command("--version", results.coldStart?.commands.version, 1.5),
    command("list", results.coldStart?.commands.list, 3),
    { figure: "import of the library", against: "import of better-sqlite3 with its native code", atMost: 5, measured: imported },
    ...hooks,
    ...[KB, 100 * KB, MB].flatMap((bytes) => [p99("save", bytes), p99("load latest", bytes)]),
  ];
}

function langgraph({ langgraph: found }: Results): readonly Target[] {
  const against = "LangGraph's saver for SQLite with synchronous=FULL";
  const operation = (name: string, atMost: number): Target => {
    return { figure: `langgraph: ${name}`, against, atMost, measured: found?.rows.find((row) => row.operation === name)?.ratio };
  };
  const inPostgres = (name: string): Target => ({
    figure: `langgraph: ${name}, PostgreSQL`,
    against: "LangGraph's saver for PostgreSQL, same database",
    atMost: 1.2,
    measured: found?.postgres?.find((row) => row.operation === name)?.ratio,
  });
  return [
    operation("put", 3),
    operation("latest", 2),
    operation("list 10", 3),
    operation("list 10 with a filter", 2),
    operation("delete a thread", 5),
    { figure: "langgraph: bytes on the disk", against, atMost: 0.1, measured: found && found.disk.measuredBytes / found.disk.floorBytes },
    inPostgres("put"),
    inPostgres("latest"),
  ];
}

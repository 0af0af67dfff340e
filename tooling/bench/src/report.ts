import type { Comparison } from "./alternate.ts";
import type { Results } from "./results.ts";
import { serviceLevels } from "./service-levels.ts";
import { label } from "./suites/library.ts";
import { SCALE_OPERATIONS, type ScaleTimings } from "./tasks/compare-scale.ts";
import { PRUNING_SIDES } from "./tasks/time-pruning.ts";
import { QUESTIONS } from "./tasks/search-questions.ts";
import { table } from "./table.ts";
import { targets } from "./targets.ts";

const FIGURES = ["median ms", "floor", "ratio", "p95", "p99", "max", "floor p99", "p99 ratio", "CPU ms", "floor CPU", "samples"];

/** Formats the whole run as text: first the targets, then all measurements. */
export function report(results: Results): string {
  return [
    section("Targets (median over the floor's median unless it says otherwise)", targetTable(results)),
    section("Library", libraryTable(results)),
    section("A sealed store, beside one in clear", sealedTable(results)),
    section("The saver for LangGraph, beside LangGraph's own for SQLite with synchronous=FULL", langgraphTable(results)),
    section("Making contexts fit, beside JSON.stringify and gzip of the same", contextTable(results)),
    section("Several processes on one store, without a pause", processesTable(results)),
    section("Through MCP on standard input and output", mcpTable(results)),
    section("Cold start: from spawning to the answer", coldStartTable(results)),
    section("Hooks of hosts: from spawning to the end, a transcript of 5.2 MB", hooksTable(results)),
    section("The timeline page: 10,000 checkpoints in Chromium, from the start of the navigation", pageTable(results)),
    section("Scale: medians in milliseconds, each store in its turn", scaleTable(results)),
    section("PostgreSQL: 16 clients over two nodes, beside SELECT FOR UPDATE done bare", nodesTable(results)),
    section("PostgreSQL: growth, medians in milliseconds", postgresScaleTable(results)),
    section("PostgreSQL: a tenant asks for what another one has, beside what nobody has", guessesTable(results)),
    section("Search: milliseconds, and beside it FTS5 with its own ranking", searchTable(results)),
    section("Saves without a pause in a session at its limit, beside others, 10 KB contexts", pruneTable(results)),
    section("Finding by meaning, beside comparing the same vectors in memory", meaningTable(results)),
    section("Peak memory of a process that does nothing else, MB", memoryTable(results)),
    section("Growth: one session, 10 KB contexts, saved without a pause", growthTable(results)),
    section("One large context", largeTable(results)),
    section("The specification's service levels, ms", serviceLevelTable(results)),
  ].join("");
}

function section(title: string, body: string | undefined): string {
  return body === undefined ? "" : `\n## ${title}\n\n${body}\n`;
}

function targetTable(results: Results): string {
  return table(
    ["figure", "at most", "measured", "", "against"],
    targets(results).map(({ figure, atMost, measured, against }) => {
      const verdict = measured === undefined ? "not measured" : measured <= atMost ? "met" : "MISSED";
      return [figure, `${atMost.toFixed(1)}x`, measured === undefined ? "-" : times(measured), verdict, against];
    }),
  );
}

function libraryTable({ library, listing }: Results): string | undefined {
  const rows = (library ?? []).map((row) => {
    const where = row.atLimit ? `a session at its limit of ${row.checkpoints}` : `${row.checkpoints.toLocaleString("en")} checkpoints`;
    return [`${row.operation} ${label(row.contextBytes)}, ${where}`, ...figures(row)];
  });
  if (listing !== undefined) {
    rows.push(["page of 20 among 10,000 of a session", ...figures(listing.ofSession)]);
    rows.push(["page of 20 among 10,000 of a project", ...figures(listing.ofProject)]);
  }
  return rows.length === 0 ? undefined : table(["operation", ...FIGURES], rows);
}

function sealedTable({ sealed }: Results): string | undefined {
  return (
    sealed &&
    table(
      ["operation", ...FIGURES],
      sealed.map((row) => [`${row.operation} ${label(row.contextBytes)}`, ...figures(row)]),
    )
  );
}

function langgraphTable({ langgraph }: Results): string | undefined {
  if (langgraph === undefined) return undefined;
  const { rows, disk, checkpointBytes, postgres = [] } = langgraph;
  const [first, last] = checkpointBytes.map((bytes) => Math.round(bytes / 1_000));
  const figuresOf = table(
    ["operation", ...FIGURES],
    [...rows, ...postgres.map((row) => ({ ...row, operation: `${row.operation}, beside PostgresSaver` }))].map((row) => {
      return [row.operation, ...figures(row)];
    }),
  );
  const onDisk = `${mb(disk.measuredBytes)} MB beside ${mb(disk.floorBytes)} MB, ${times(disk.floorBytes / disk.measuredBytes)} smaller`;
  return `${figuresOf}\n\nCheckpoints of ${first} to ${last} KB. On the disk: ${onDisk}.`;
}

function contextTable({ context }: Results): string | undefined {
  return (
    context &&
    table(
      ["operation", ...FIGURES],
      context.map((row) => [`${row.operation} ${label(row.contextBytes)}`, ...figures(row)]),
    )
  );
}

function meaningTable({ meaning }: Results): string | undefined {
  return (
    meaning &&
    table(
      ["operation", ...FIGURES, "recall of 10"],
      meaning.map((row) => [
        `nearest of ${row.vectors.toLocaleString("en")}, ${row.dimensions} numbers`,
        ...figures(row),
        row.recall.toFixed(2),
      ]),
    )
  );
}

function mcpTable({ mcp }: Results): string | undefined {
  if (mcp === undefined) return undefined;
  const rows = mcp.rows.map((row) => [`${row.operation} ${label(row.contextBytes)}`, ...figures(row)]);
  const memory =
    mcp.peakBytes === undefined
      ? ""
      : `\n\nThe server's memory: ${mb(mcp.idleBytes)} MB after its greeting, ${mb(mcp.peakBytes)} MB at most.`;
  return `${table(["operation", ...FIGURES], rows)}${memory}\n\nCPU is the client's; the server's own is not in it.`;
}

/** Includes compaction, which waits for pauses, but not forever. */
function processesTable({ processes }: Results): string | undefined {
  return (
    processes &&
    table(
      [
        "operation",
        "processes",
        "per second",
        "floor",
        "ratio",
        "median ms",
        "p95",
        "p99",
        "max",
        "floor median",
        "floor p99",
        "CPU ms",
        "floor CPU",
      ],
      processes.map((row) => {
        const { operation, contextBytes, sessions, floor, measured } = row;
        const latencies = [measured.median, measured.p95, measured.p99, measured.max, floor.median, floor.p99, measured.cpuMs, floor.cpuMs];
        return [
          `${operation} ${label(contextBytes)}, ${sessions === "one" ? "one session" : "a session each"}`,
          String(row.processes),
          measured.perSecond.toFixed(0),
          floor.perSecond.toFixed(0),
          times(row.throughputRatio),
          ...latencies.map(ms),
        ];
      }),
    )
  );
}

function coldStartTable({ coldStart }: Results): string | undefined {
  if (coldStart === undefined) return undefined;
  const { node, unbundled, initialize, firstSave, commands, library } = coldStart;
  const rows = [
    ["bare Node, answer to anything", node],
    ["unbundled server with one empty tool, answer to initialize", unbundled],
    ["workrail-mcp, answer to initialize", initialize],
    ["workrail-mcp, answer to the first save", firstSave],
  ] as const;
  const servers = table(
    ["what", "median ms", "p95", "max", "over unbundled"],
    rows.map(([what, one]) => [what, ms(one.median), ms(one.p95), ms(one.max), times(one.median / unbundled.median)]),
  );
  const ends = [
    ["bare Node that does nothing", commands.node],
    ["workrail --version", commands.version],
    ["workrail --help", commands.help],
    ["workrail list", commands.list],
  ] as const;
  const programs = table(
    ["from spawning to the end", "median ms", "p95", "max", "over bare Node"],
    ends.map(([what, one]) => [what, ms(one.median), ms(one.p95), ms(one.max), times(one.median / commands.node.median)]),
  );
  const imports = [
    ["better-sqlite3, with its native code", library.sqlite],
    ["the library", library.import],
    ["the library, and a store opened and closed", library.open],
  ] as const;
  const imported = table(
    ["import in a process", "median ms", "p95", "max", "over better-sqlite3"],
    imports.map(([what, one]) => [what, ms(one.median), ms(one.p95), ms(one.max), times(one.median / library.sqlite.median)]),
  );
  return `${servers}\n\n${programs}\n\n${imported}`;
}

function hooksTable({ hooks }: Results): string | undefined {
  if (hooks === undefined) return undefined;
  const { rows, day } = hooks;
  const calls = table(
    ["call", "median ms", "min", "p95", "CPU ms", "over bare Node", "of the quickest", "aim", "samples"],
    rows.map((row) => {
      const aim = row.atMost === undefined ? "-" : times(row.atMost);
      return [
        row.call,
        ms(row.median),
        ms(row.min),
        ms(row.p95),
        ms(row.cpuMs),
        times(row.ratio),
        times(row.minRatio),
        aim,
        String(row.count),
      ];
    }),
  );
  const work = `A day of ${day.turns} turns and ${day.compactions} compactions or ends, ${kb(day.transcriptBytes)} KB of transcript`;
  const cpu = `${day.calls} hooks, ${(day.hooksCpuMs / 1_000).toFixed(2)} s of the processor; taking in ${(day.takeInCpuMs / 1_000).toFixed(2)} s`;
  const bytes = `${day.saves} saves, ${kb(day.incomingBytes)} KB while they wait; ${kb(day.storeBytes)} KB in the store, ${kb(day.hooksBytes)} KB of hooks`;
  return `${calls}\n\n${work}: ${cpu}; ${bytes}.`;
}

function pageTable({ page }: Results): string | undefined {
  if (page === undefined) return undefined;
  const rows = [
    ["first paint of a page of one word", page.floor],
    ["first paint", page.first],
    ["paint of the first checkpoints", page.rows],
  ] as const;
  return table(
    ["what", "median ms", "p95", "max", "over one word"],
    rows.map(([what, one]) => [what, ms(one.median), ms(one.p95), ms(one.max), times(one.median / page.floor.median)]),
  );
}

function searchTable({ search }: Results): string | undefined {
  return (
    search &&
    search
      .map(({ checkpoints, asked, all, first, indexMs, indexBytes, textBytes, memory }) => {
        const rows = [...QUESTIONS.map((kind) => [kind, asked[kind]] as const), ["all of them", all] as const].map(
          ([kind, { library, floor, libraryCpu, floorCpu }]) => {
            const clock = [ms(library.median), ms(floor.median), times(library.median / floor.median), ms(library.p95), ms(floor.p95)];
            return [kind, ...clock, ms(libraryCpu.median), ms(floorCpu.median), ms(libraryCpu.p95), ms(floorCpu.p95)];
          },
        );
        const made = `indexed in ${(indexMs / 1_000).toFixed(1)} s, ${mb(indexBytes)} MB for ${mb(textBytes)} MB of text`;
        const begun = `${ms(first.atOnce.median)} ms right after opening, ${ms(first.atRest.median)} ms once at rest`;
        const opened = `the first answer of a process in ${begun}, the table's in ${ms(first.floor.median)} ms`;
        const taken = `${mb(memory.heldBytes)} MB of memory, ${mb(memory.freeBytes)} with V8's room for new objects`;
        const told = `${checkpoints.toLocaleString("en")} checkpoints: ${made}; ${opened}; ${taken}.`;
        const head = ["question", "median", "floor", "ratio", "p95", "floor p95", "CPU", "floor CPU", "CPU p95", "floor CPU p95"];
        return `${told}\n\n${table(head, rows)}`;
      })
      .join("\n\n")
  );
}

function scaleTable({ scale }: Results): string | undefined {
  if (scale === undefined) return undefined;
  const catalogs = scale.stores.map(({ checkpoints, catalogBytes, fillMs }) => {
    return `${checkpoints.toLocaleString("en")}: ${mb(catalogBytes)} MB, made in ${(fillMs / 1_000).toFixed(1)} s`;
  });
  const stores = scale.stores.map(({ checkpoints }, at) => ({ checkpoints, timings: scale.timings[at] as ScaleTimings }));
  return `${growthOf(stores)}\n\nThe catalogs, of ${catalogs.join("; of ")}.`;
}

function postgresScaleTable({ postgres }: Results): string | undefined {
  return postgres && growthOf(postgres.scale);
}

/** Medians of each operation, and their ratios to those of the smallest store. */
function growthOf(stores: readonly { readonly checkpoints: number; readonly timings: ScaleTimings }[]): string {
  const sizes = stores.map(({ checkpoints }) => checkpoints.toLocaleString("en"));
  const [, ...larger] = sizes;
  const rows = SCALE_OPERATIONS.map((operation) => {
    const medians = stores.map(({ timings }) => timings[operation].median);
    const [least = Number.NaN, ...others] = medians;
    return [operation, ...medians.map(ms), ...others.map((median) => times(median / least))];
  });
  return table(["operation", ...sizes, ...larger.map((size) => `ratio at ${size}`)], rows);
}

function nodesTable({ postgres }: Results): string | undefined {
  return (
    postgres &&
    table(
      ["sessions", "per second", "floor", "ratio", "p50", "p95", "p99", "floor p50", "floor p95", "floor p99", "saves"],
      postgres.nodes.map(({ sessions, floor, measured, throughputRatio }) => {
        const latencies = [measured, floor].flatMap(({ median, p95, p99 }) => [median, p95, p99].map(ms));
        return [
          sessions,
          measured.perSecond.toFixed(0),
          floor.perSecond.toFixed(0),
          times(throughputRatio),
          ...latencies,
          String(measured.count),
        ];
      }),
    )
  );
}

function guessesTable({ postgres }: Results): string | undefined {
  return (
    postgres &&
    table(
      ["question", "median ms", "of nobody's", "ratio", "p95", "p95 of nobody's", "samples"],
      postgres.guesses.map(({ question, measured, floor, ratio }) => {
        return [question, ms(measured.median), ms(floor.median), times(ratio), ms(measured.p95), ms(floor.p95), String(measured.count)];
      }),
    )
  );
}

function pruneTable({ prune }: Results): string | undefined {
  if (prune === undefined) return undefined;
  return table(
    ["saves", "median ms", "p95", "p99", "max", "slower than 3 medians", "checkpoints left", "stored KB"],
    PRUNING_SIDES.map((side) => {
      const { times: taken, slow, checkpoints, storedBytes } = prune.sides[side];
      const what = { limit: `limit of ${prune.limit}`, "no limit": "no limit", "a session each": "a session each" }[side];
      const latencies = [taken.median, taken.p95, taken.p99, taken.max].map(ms);
      return [`${taken.count}, ${what}`, ...latencies, String(slow), String(checkpoints), (storedBytes / 1_000).toFixed(0)];
    }),
  );
}

function largeTable({ large }: Results): string | undefined {
  if (large === undefined) return undefined;
  const { bytes, json, library } = large;
  const rows = (["save", "load"] as const).map((phase) => {
    const [own, bare] = [library[phase], json[phase]];
    const memory = [mb(own.peakBytes), times(own.peakBytes / bytes), mb(bare.peakBytes)];
    return [
      `${phase} ${label(bytes)}`,
      ms(own.ms),
      ms(bare.ms),
      ms(own.stallMs),
      ms(bare.stallMs),
      ms(own.stallMs - bare.stallMs),
      ...memory,
    ];
  });
  const headers = ["operation", "ms", "JSON alone", "stall ms", "JSON alone", "beyond", "peak MB", "over its size", "JSON alone"];
  return `${table(headers, rows)}\n\nNode with the context alone: ${mb(library.contextPeakBytes)} MB.`;
}

function memoryTable({ memory }: Results): string | undefined {
  return (
    memory &&
    table(
      ["operation", "library", "floor", "nothing"],
      memory.map(({ operation, contextBytes, count, nothing, floor, library }) => [
        `${operation} ${label(contextBytes)}, ${count} times`,
        mb(library),
        mb(floor),
        mb(nothing),
      ]),
    )
  );
}

function growthTable({ growth }: Results): string | undefined {
  if (growth === undefined) return undefined;
  const marks = table(
    [
      "checkpoints",
      "median ms of the last 100 saves",
      "ms each, all in all",
      "bytes each",
      "bytes each in blocks",
      "load ms: newest",
      "oldest",
      "slowest",
      "memory MB",
    ],
    growth.marks.map((mark) => [
      mark.checkpoints.toLocaleString("en"),
      ms(mark.saveMedianMs),
      ms(mark.allMs),
      mark.bytesEach.toFixed(0),
      mark.diskBytesEach.toFixed(0),
      ms(mark.latestLoadMs),
      ms(mark.oldestLoadMs),
      ms(mark.slowestLoadMs),
      mb(mark.residentBytes),
    ]),
  );
  return `${marks}\n\nMaking a lost catalog of 10,000 checkpoints from their files: ${(growth.rebuildMs / 1_000).toFixed(1)} s.`;
}

function serviceLevelTable(results: Results): string {
  return table(
    ["operation", "P50", "goal", "P95", "goal", "P99", "goal", "max", "goal", "measured as"],
    serviceLevels(results).map(({ operation, measuredAs, goal, measured }) => {
      const pairs = (["median", "p95", "p99", "max"] as const).flatMap((key) => [
        measured === undefined ? "-" : ms(measured[key]),
        String(goal[key]),
      ]);
      return [operation, ...pairs, measuredAs];
    }),
  );
}

function figures({ floor, measured, ratio, p99Ratio }: Comparison): string[] {
  return [
    ms(measured.median),
    ms(floor.median),
    times(ratio),
    ms(measured.p95),
    ms(measured.p99),
    ms(measured.max),
    ms(floor.p99),
    times(p99Ratio),
    ms(measured.cpuMs),
    ms(floor.cpuMs),
    String(measured.count),
  ];
}

/** Formats milliseconds with three significant digits. */
function ms(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value >= 1 ? value.toFixed(2) : value.toFixed(3);
}

function times(ratio: number): string {
  return `${ratio.toFixed(2)}x`;
}

function kb(bytes: number): string {
  return (bytes / 1_000).toFixed(0);
}

function mb(bytes: number | undefined): string {
  return bytes === undefined ? "-" : (bytes / 1_000_000).toFixed(0);
}

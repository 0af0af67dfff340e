// The long form of the fault tests. Their short form is part of `npm test`.
import { randomInt } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, runTool } from "./run.mjs";

const SQLITE = "packages/sqlite-fs/test";
const CONFORMANCE = [`${SQLITE}/conformance.test.ts`, `${SQLITE}/node-sqlite-conformance.test.ts`];
const FILES_CONFORMANCE = [
  "packages/files-catalog/test/conformance.test.ts",
  "examples/custom-storage-adapter/src/conformance.test.ts",
  "examples/key-value-storage/src/conformance.test.ts",
];

/** The rows of the table. `names`: a pattern that selects tests; `env`: the variables that make the run long. */
const ROWS = [
  {
    id: "T1",
    fault: "kill -9 while saving, compacting, rebuilding, indexing",
    files: [
      `${SQLITE}/killed-savers.test.ts`,
      `${SQLITE}/compaction.test.ts`,
      "packages/runtime/test/search-history.test.ts",
      "packages/runtime/test/killed-then-erased.test.ts",
      "packages/ai-sdk/test/killed-agent.test.ts",
      "packages/langgraph/test/killed-agent.test.ts",
    ],
    env: { WORKRAIL_KILLS: "1000", WORKRAIL_COMPACTION_KILLS: "200", WORKRAIL_AGENT_KILLS: "100" },
  },
  {
    id: "T2",
    fault: "end of the process at any file operation",
    files: [...CONFORMANCE, ...FILES_CONFORMANCE],
    names: "(a crash|a write that stores).*at any file operation",
  },
  {
    id: "T4",
    fault: "EIO, ENOSPC, short writes at any operation",
    files: [...CONFORMANCE, ...FILES_CONFORMANCE, `${SQLITE}/sqlite-faults.test.ts`],
    names: "(an I/O|a disk|an error|a write that takes).*at any file operation|in SQLite|a COMMIT",
  },
  {
    id: "T5",
    fault: "flipped bits, zeros, cut ends in every file",
    files: [
      `${SQLITE}/damaged-files.test.ts`,
      `${SQLITE}/damaged-database.test.ts`,
      `${SQLITE}/damaged-derived.test.ts`,
      "packages/blob-files/src/session-facts-files.test.ts",
      "packages/runtime/test/flipped-bits.test.ts",
    ],
    env: { WORKRAIL_FLIPS: "400", WORKRAIL_FLIPS_OF_EACH: "40" },
  },
  {
    id: "T6",
    fault: "many processes on one store",
    files: [
      `${SQLITE}/backup.test.ts`,
      `${SQLITE}/many-processes.test.ts`,
      `${SQLITE}/both-drivers.test.ts`,
      "packages/langgraph/test/many-processes.test.ts",
    ],
  },
  { id: "T7", fault: "hostile input to the server", files: ["apps/mcp-server/src"] },
  {
    id: "T8",
    fault: "the database is lost",
    files: [...CONFORMANCE, `${SQLITE}/lost-catalog.test.ts`],
    names: "recovery|a database that",
  },
  {
    id: "T9",
    fault: "full disk, foreign modes, signals, fallback",
    files: [`${SQLITE}/full-disk.test.ts`, `${SQLITE}/owner-only.test.ts`, "packages/runtime/test/fallback.test.ts"],
  },
  { id: "T10", fault: "older and newer schemas", files: ["packages/sqlite-fs/src/migrate", `${SQLITE}/schema-fixtures.test.ts`] },
  {
    id: "T11",
    fault: "10,000 random operations against a model",
    files: [...CONFORMANCE, ...FILES_CONFORMANCE, "packages/memory/src/conformance.test.ts"],
    names: "random operations",
    env: { WORKRAIL_CONFORMANCE_OPERATIONS: "10000" },
  },
  {
    id: "T12",
    fault: "a sealed store: conversions that end early, foreign bytes",
    files: ["packages/runtime/test/sealing", "packages/runtime/test/sealed-conformance.test.ts", "packages/keychain-crypto"],
  },
  {
    id: "T12b",
    fault: "a sealed store on node:sqlite",
    files: ["packages/runtime/test/sealed-node-sqlite-conformance.test.ts"],
  },
  {
    id: "T13",
    fault: "an erasure that ends early",
    files: ["packages/runtime/test/erasure.test.ts"],
  },
  {
    id: "T36",
    fault: "a change between SQLite and files alone that ends early",
    files: ["packages/runtime/test/handover.test.ts"],
  },
  {
    id: "T14",
    fault: "2,000 contexts of any shape, and the database lost",
    files: [
      "packages/runtime/test/restore-equals-save.test.ts",
      "packages/runtime/test/patch-saves.test.ts",
      ...CONFORMANCE,
      ...FILES_CONFORMANCE,
    ],
    names: "comes back exactly|restore equals save|byte for byte",
    env: { WORKRAIL_RUNS: "2000", WORKRAIL_CONFORMANCE_RUNS: "2000" },
  },
  {
    id: "T15",
    fault: "values that nobody chose, other ones each time",
    files: [
      "packages/codecs/src",
      "packages/core/src",
      "packages/host-transcripts/src",
      "packages/keychain-crypto",
      "packages/memory/src",
      "packages/o200k/src",
      "packages/runtime/src",
      "packages/runtime/test/handles-by-part.test.ts",
      "packages/runtime/test/live-context.test.ts",
      "packages/secrets/src",
      "packages/sqlite-fs/src/corrected-row.test.ts",
      "packages/views/src",
    ],
  },
  {
    id: "T16",
    fault: "code and directories that other users planted",
    files: [
      "apps/cli/src/planted-cache.test.ts",
      "apps/mcp-server/src/planted-cache.test.ts",
      "packages/blob-files/src/private-place.test.ts",
      "packages/blob-files/src/store-claim.test.ts",
    ],
  },
  {
    id: "T17",
    fault: "hostile projects, texts that pattern matching is slow on, and threads that hang",
    files: [
      "packages/runtime/test/stubborn-texts.test.ts",
      "apps/mcp-server/src/hostile-projects.test.ts",
      "apps/mcp-server/src/hanging.test.ts",
      "apps/cli/src/until-interrupted.test.ts",
      "packages/blob-files/src/read-given-file.test.ts",
    ],
    env: { WORKRAIL_HOSTILE_PROJECTS: "all" },
  },
  {
    id: "T18",
    fault: "a clock that is wrong, and right again",
    files: ["apps/mcp-server/src/wrong-clock.test.ts", "packages/core/src/clean-up"],
  },
  {
    id: "T19",
    fault: "a full disk and a lost catalog, at 14 levels of what is left, met by every command and every tool",
    files: ["apps/cli/src/full-disk.test.ts", "apps/mcp-server/src/full-disk.test.ts", "packages/runtime/test/fallback.test.ts"],
    names: "full disk whose catalog is lost|catalog was lost meanwhile",
  },
  {
    id: "T20",
    fault: "kill -9 while erasing, at random moments; the next process is a command or a server of a moment",
    files: [
      "packages/runtime/test/killed-erasure.test.ts",
      "apps/cli/src/killed-erasure.test.ts",
      "apps/mcp-server/src/killed-erasure.test.ts",
    ],
  },
  {
    id: "T21",
    fault: "kill -9 while importing beside a verification; leftovers of killed restores and rebuilds",
    files: ["packages/runtime/test/killed-import.test.ts", "apps/cli/src/commands/import.test.ts", "apps/cli/src/leftovers.test.ts"],
  },
  {
    id: "T22",
    fault: "faults of object storage at each request: SlowDown, lost and half answers, drops, damage, silence; kill -9 before the row",
    files: ["packages/blobs-s3/test", "packages/runtime/test/blobs-in-s3-over-postgres.test.ts"],
  },
  {
    id: "T23",
    fault: "three servers on one store, two of which are told to stop amid 50 calls, in 10 rounds",
    files: ["apps/mcp-server/src/http/many-servers.test.ts"],
    env: { WORKRAIL_SERVER_ROUNDS: "10" },
  },
  {
    id: "T24",
    fault: "clients over HTTP: wrong tokens, hosts and origins, bodies of 64 MB, slow, 1,000 at a time, never reading; in 8 rounds",
    files: ["apps/mcp-server/src/http/hostile-clients.test.ts"],
    env: { WORKRAIL_HTTP_ROUNDS: "8" },
  },
  {
    id: "T25",
    fault: "PostgreSQL: the database and its clients killed, connections lost and transactions given up at any statement, a full disk",
    files: [
      "packages/postgres/test/killed-database.test.ts",
      "packages/postgres/test/lost-connections.test.ts",
      "packages/postgres/test/given-up-transactions.test.ts",
      "packages/postgres/test/full-disk.test.ts",
      "packages/postgres/test/server-conformance.test.ts",
    ],
    names: "(an I/O|an error|a crash).*at any file operation|killed|a connection that is lost|that is given up|a full disk",
    env: { WORKRAIL_DATABASE_KILLS: "200", WORKRAIL_CONFORMANCE_KILLS: "200" },
  },
  {
    id: "T26",
    fault: "two servers behind a load balancer, killed 200 times while 16 clients make 20,000 saves; then the database in the same way",
    files: ["apps/mcp-server/src/http/killed-nodes.test.ts"],
    env: { WORKRAIL_NODE_SAVES: "1250", WORKRAIL_NODE_KILLS: "200" },
  },
  {
    id: "T27",
    fault: "10,000 checkpoints copied to PostgreSQL and back, killed 20 times; two laptops that push 1,000 saves each, killed 20 times",
    files: [
      "packages/runtime/test/copy-to-postgres.test.ts",
      "packages/runtime/test/copy-store.test.ts",
      "packages/runtime/test/sync-store.test.ts",
    ],
  },
  {
    id: "T28",
    fault: "PostgreSQL in another version, and sealed: the whole contract",
    files: [
      "packages/postgres/test/pglite-conformance.test.ts",
      "packages/postgres/test/search-conformance.test.ts",
      "packages/runtime/test/sealed-postgres-conformance.test.ts",
    ],
  },
  {
    id: "T29",
    fault: "every other storage: killed processes, several processes, values and operations at length",
    files: [
      "packages/files-catalog/test/conformance.test.ts",
      "packages/keychain-crypto/test/conformance.test.ts",
      "packages/kv-storage/test/conformance.test.ts",
      "packages/langgraph/test/validation.test.ts",
      "packages/postgres/test/server-conformance.test.ts",
      `${SQLITE}/node-sqlite-conformance.test.ts`,
    ],
    // The sweeps run in other rows.
    names: "^(?!.*at any file operation)",
  },
  {
    id: "T31",
    fault: "every command in a process of its own, from the bundle",
    files: [
      "apps/cli/src/commands",
      "apps/cli/src/golden",
      ...[
        "examples",
        "import-foreign",
        "import-transcripts",
        "main",
        "hook",
        "read-only",
        "show-savings",
        "store-in-postgres",
        "tables",
      ].map((name) => `apps/cli/src/${name}.test.ts`),
      "apps/cli/src/ui/page.test.ts",
      "apps/mcp-server/src/isolation.test.ts",
      "apps/mcp-server/src/read-only.test.ts",
    ],
  },
  {
    id: "T35",
    fault: "states handed over at every depth, and lost windows",
    files: ["tooling/go-on/src/go-on.test.ts", "tooling/go-on/src/scripted-model.test.ts"],
  },
  {
    id: "T30",
    fault: "kill -9 of processes that save and rebuild, over the adapters of the examples",
    files: FILES_CONFORMANCE,
    names: "a process killed at a random moment",
    env: { WORKRAIL_CONFORMANCE_KILLS: "20" },
  },
  {
    id: "T32",
    fault: "clean-ups beside three processes that save; 1,000 saves to a session that may hold 100",
    files: [`${SQLITE}/clean-up.test.ts`],
  },
  {
    id: "T33",
    fault: "the memory of the timeline page over 1,000 live updates",
    files: ["apps/cli/src/ui/page-scale.test.ts"],
    names: "memory",
    env: { WORKRAIL_TEST_UPDATES: "1000" },
  },
  {
    id: "T34",
    fault: "types of the packages for each compiler and each way to resolve modules",
    files: ["tooling/release/src/consumer-types.test.ts"],
  },
];

const COUNTS = ["tries", "acknowledged", "lost", "wrong", "dangling", "dead"];
/** Counts that must be 0. */
const FAILURES = ["lost", "wrong", "dangling", "dead", "failed"];
const HEADS = { wrong: "silently wrong", dead: "dead servers", failed: "failed tests" };

/** Name of the variable with the seed of all random choices. The seed is new in each run, unless the variable is set to repeat one. */
const SEED = "WORKRAIL_CONFORMANCE_SEED";
const LARGEST_SEED = 2 ** 31;

/** Runs all rows, or the named ones. Resolves to 0 when every count in `FAILURES` is 0. */
export async function runFaults(names) {
  const unknown = names.filter((name) => !ROWS.some(({ id }) => id === name));
  if (unknown.length > 0) {
    process.stderr.write(`No such row: ${unknown.join(", ")}. There are ${ROWS.map(({ id }) => id).join(", ")}.\n`);
    return 2;
  }
  const seed = process.env[SEED] || String(randomInt(LARGEST_SEED));
  const howToRepeat = `Chance was drawn from ${SEED}=${seed}, which repeats it.\n`;
  process.stdout.write(howToRepeat);
  const folder = mkdtempSync(join(tmpdir(), "workrail-faults-"));
  try {
    const rows = [];
    for (const row of ROWS.filter(({ id }) => names.length === 0 || names.includes(id))) {
      process.stdout.write(`\n== ${row.id}: ${row.fault}\n`);
      const started = performance.now();
      const ran = await run(row, join(folder, row.id), seed);
      rows.push({ ...row, ...ran, seconds: Math.round((performance.now() - started) / 1000) });
    }
    process.stdout.write(`\n${table(rows)}\n\n${howToRepeat}`);
    return rows.every((row) => FAILURES.every((count) => row[count] === 0)) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run({ files, names, env = {} }, folder, seed) {
  mkdirSync(folder);
  const [results, tally] = [join(folder, "results.json"), join(folder, "tally")];
  const pattern = names === undefined ? [] : ["-t", names];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
  const there = files.filter((file) => existsSync(join(ROOT, file)) || !file.endsWith(".ts"));
  await runTool("vitest", ["run", ...reporters, ...pattern, ...there], {
    env: { ...env, [SEED]: seed, WORKRAIL_LONG_TESTS: "1", WORKRAIL_CONFORMANCE_FAULTS: "1", WORKRAIL_FAULT_TALLY: tally },
  });
  const [counts, outcome] = [counted(tally), outcomeOf(results)];
  // A test that counts nothing counts as one try.
  return { ...counts, tries: Math.max(counts.tries, outcome.tests), ...outcome };
}

/** Returns the sums of the counts that the tests reported, one JSON object per line. */
function counted(tally) {
  const sums = Object.fromEntries(COUNTS.map((count) => [count, 0]));
  const lines = existsSync(tally) ? readFileSync(tally, "utf8").split("\n").filter(Boolean) : [];
  for (const line of lines) for (const [count, value] of Object.entries(JSON.parse(line))) sums[count] += value;
  return sums;
}

/** Returns the outcome of a row. A row without passed tests proves nothing and counts as failed. */
function outcomeOf(results) {
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(results, "utf8"));
    return { tests: numPassedTests, failed: Math.max(numFailedTests, numFailedTestSuites, numPassedTests === 0 ? 1 : 0) };
  } catch {
    return { tests: 0, failed: 1 };
  }
}

function table(rows) {
  const columns = ["id", "fault", "tests", ...COUNTS, "failed", "seconds"];
  const lines = [columns.map((column) => HEADS[column] ?? column), ...rows.map((row) => columns.map((column) => String(row[column])))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index].length)));
  return lines
    .map((line) => line.map((cell, index) => (index < 2 ? cell.padEnd(widths[index]) : cell.padStart(widths[index]))).join("  "))
    .join("\n");
}

import { join } from "node:path";
import { snapshotOf } from "@workrail/faults";
import { openWorkrail } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import { buildProgram } from "./program.ts";
import { type CliUnderTest, useCli } from "./testing/use-cli.ts";

/** Command lines that change nothing. */
const READING: readonly string[] = [
  "load --session s",
  "show c1",
  "list",
  "search weathervane",
  "resume --session s",
  "handoff --session s",
  "sessions",
  "log s",
  "diff c1 c2",
  "stats",
  "compress --checkpoint c1",
  "prioritize --checkpoint c1",
  "prioritize context.json --dry-run",
  "export s --output -",
  "import export.json --dry-run",
  "delete c1 --dry-run",
  "cleanup --dry-run",
  "trash list",
  "trash empty --dry-run",
  "status",
  "verify",
  "audit list",
  "audit verify",
  "repair --dry-run",
  "scan",
  "doctor",
  "config list",
  "config get maxDepth",
  "config path",
  "config schema",
  "completion bash",
  "setup codex --dry-run",
  "statusline",
];

/** Command lines that change the store. */
const WRITING: readonly string[] = [
  "save context.json --session s",
  "tag s t",
  "pin s goal",
  "unpin s goal",
  "keep s",
  "compress context.json",
  "prioritize context.json",
  "export s",
  "export --all",
  "ui --export page.html --session s",
  "import export.json",
  "delete c1 --yes",
  "cleanup --keep-last 1 --yes",
  "trash restore s c0",
  "trash empty --yes",
  "backup backup",
  "restore backup --yes",
  "copy --to copy",
  "sync --to other",
  "migrate",
  "upkeep",
  "audit export",
  "repair",
  "rebuild",
  "encrypt",
  "rekey",
  "config set maxDepth 5",
  "config unset maxDepth",
];

/** For hosts: it never fails, and has its own test. */
const FOR_HOSTS = ["hook"];

const cli = useCli();

describe("a read-only store", () => {
  it("is tested with every command", () => {
    const tried = new Set([...FOR_HOSTS, ...[...READING, ...WRITING].map((line) => line.split(" ")[0])]);
    const untried = buildProgram().commands.filter((command) => !tried.has(command.name()));
    expect(untried.map((command) => command.name())).toEqual([]);
  });

  it("answers each command that reads, and stays unchanged", async () => {
    await fill(cli);
    const before = snapshotOf(cli.dataDir);
    const outcomes = await runAll(READING);
    expect(outcomes).toEqual(READING.map((line) => ({ line, code: 0, error: undefined })));
    expect(snapshotOf(cli.dataDir)).toEqual(before);
  });

  it("refuses each command that writes, and stays unchanged", async () => {
    await fill(cli);
    const before = snapshotOf(cli.folder);
    const outcomes = await runAll(WRITING);
    expect(outcomes).toEqual(WRITING.map((line) => ({ line, code: 19, error: "READ_ONLY" })));
    expect(snapshotOf(cli.folder)).toEqual(before);
  });
});

/** Saves two checkpoints, puts a third into the trash, and writes the files that the command lines name. */
async function fill({ dataDir, project }: CliUnderTest): Promise<void> {
  await using store = await openWorkrail({ dataDir, project, env: {} });
  for (const number of [0, 1, 2]) {
    await store.saveCheckpoint({ sessionId: "s", checkpointId: `c${number}`, context: { goal: `weathervane ${number}` } });
  }
  await store.cleanUp({ checkpointIds: ["c0"] });
  await store.exportSession("s", { file: join(project, "export.json") });
  cli.write("context.json", '{"goal":"g","log":"l"}');
}

interface Result {
  readonly line: string;
  readonly code: number | null;
  readonly error: string | undefined;
}

async function runAll(lines: readonly string[]): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const line of lines) {
    const { code, stderr } = await cli.run([...line.split(" "), "--read-only", "--json"]);
    results.push({ line, code, error: errorIn(stderr) });
  }
  return results;
}

/** The code of the error that a command printed as JSON; other text as it is, so that a failing test shows it. */
function errorIn(stderr: string): string | undefined {
  const last = stderr.split("\n").findLast((each) => each.startsWith("{"));
  if (last !== undefined) return (JSON.parse(last) as { error: { code: string } }).error.code;
  return stderr === "" ? undefined : stderr;
}

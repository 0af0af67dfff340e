import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorkrail } from "@workrail/runtime";
import type { Command } from "commander";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildProgram } from "./program.ts";
import { copyFolder } from "./testing/copy-folder.ts";
import type { Outcome } from "./testing/outcome.ts";
import { useCli } from "./testing/use-cli.ts";

const cli = useCli();
/** Need a keychain or a database, which most machines that run tests do not have. */
const NOT_RUN = new Set(["encrypt", "rekey", "migrate"]);
/** Run until they are interrupted, or need a database. */
const LINES_NOT_RUN = /^\s*workrail ui(?!.*--export)|--all-tenants/u;

/** A command whose words need no shell, and the file to which its output goes. */
const PLAIN = /^\s*workrail(?<words>(?: (?:[\w./:=@-]+|"[^"$`\\]*"|'[^']*'))+)(?: > (?<file>[\w.-]+))?$/u;
const WORD = /"[^"]*"|'[^']*'|[^ ]+/gu;

/** A transcript of Claude Code. */
const TRANSCRIPT = `${JSON.stringify({
  type: "user",
  uuid: "1",
  sessionId: "a",
  cwd: "/shop",
  timestamp: "2026-01-01T00:00:00Z",
  message: { role: "user", content: "Sort the invoices." },
})}\n`;

let prepared: string;

/** Creates a folder for the examples: a store, a project, and a home directory with transcripts. */
beforeAll(async () => {
  prepared = realpathSync(mkdtempSync(join(tmpdir(), "workrail-examples-")));
  const project = join(prepared, "project");
  mkdirSync(project);
  writeFileSync(join(project, "context.json"), '{"goal":"begin"}');
  writeFileSync(join(project, "memory.jsonl"), '{"type":"entity","name":"shop","entityType":"project","observations":[]}');
  mkdirSync(join(project, "notes"));
  writeFileSync(join(project, "notes", "shop.md"), "# Shop");
  mkdirSync(join(prepared, "home", ".claude", "projects", "shop"), { recursive: true });
  writeFileSync(join(prepared, "home", ".claude", "projects", "shop", "a.jsonl"), TRANSCRIPT);
  mkdirSync(join(prepared, "home", ".codex", "sessions"), { recursive: true });
  await using store = await openWorkrail({ dataDir: join(prepared, "data"), project, env: {} });
  await store.saveCheckpoint({ sessionId: "my-task", context: { goal: "prepare" } });
  // A save with its own id may be repeated, as in one of the examples.
  await store.saveCheckpoint({ sessionId: "my-task", checkpointId: "before-refactoring", context: { goal: "begin" } });
  await store.exportSession("my-task", { file: join(project, "my-copy.json") });
  await store.backup(join(project, "my-backup"));
});

afterAll(() => rmSync(prepared, { recursive: true, force: true }));

describe.skipIf(process.platform === "win32")("examples (skipped on Windows: they are written for sh)", () => {
  beforeEach(() => copyFolder(prepared, cli.folder));

  it.each([undefined, ...buildProgram().commands.map((command) => command.name())])("in the help of %s run", async (name) => {
    const lines = examplesOf(name);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.every((line) => line.includes(`workrail ${name ?? ""}`))).toBe(true);
    if (NOT_RUN.has(name ?? "")) return;
    const home = join(cli.folder, "home");
    const env = { WORKRAIL_PROJECT: join(prepared, "project"), HOME: home, USERPROFILE: home };
    for (const line of lines.filter((each) => !LINES_NOT_RUN.test(each))) {
      const outcome = await runLine(line, env);
      expect(outcome, line).toMatchObject({ code: 0 });
    }
  });

  it("in the README run", async () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const examples = /^```sh\n(.*?)^```$/msu.exec(readme)?.[1] ?? "";
    const { code, stdout } = await cli.shell(`set -e\n${examples}`);
    expect(code).toBe(0);
    expect(stdout).toContain('"goal": "sort the invoices"');
    expect(readFileSync(`${cli.project}/context.json`, "utf8")).toBe('{"goal":"sort the invoices","done":12}');
  });
});

/** Runs a line as a shell does; most lines in the process of the test. */
async function runLine(line: string, env: Readonly<Record<string, string>>): Promise<Outcome> {
  const { words, file } = PLAIN.exec(line)?.groups ?? {};
  if (words === undefined) return cli.shell(line, env);
  const args = (words.match(WORD) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/u, "$2"));
  const outcome = await cli.run(args, { env });
  if (file !== undefined) cli.write(file, outcome.stdout);
  return outcome;
}

/** Returns the examples from the help. */
function examplesOf(name: string | undefined): readonly string[] {
  const program = buildProgram();
  const command = name === undefined ? program : program.commands.find((each) => each.name() === name);
  const examples = /\nExamples?:\n((?: {2}.+\n)+)/u.exec(helpOf(command))?.[1] ?? "";
  return examples.trim().split("\n");
}

function helpOf(command: Command | undefined): string {
  let help = "";
  command?.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return help;
}

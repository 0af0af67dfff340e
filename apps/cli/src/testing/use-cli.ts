import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bundleOnce } from "@workrail/programs";
import { nestedMetadata, openWorkrail } from "@workrail/runtime";
import { afterEach, beforeAll, beforeEach } from "vitest";
import config from "../../rolldown.config.ts";
import { lightPart } from "../light-part.ts";
import type { Outcome } from "./outcome.ts";
import { runHere } from "./run-here.ts";
import { IS_LONG } from "../../../../packages/storage-conformance/test/long-form.ts";

const APP = fileURLToPath(new URL("../..", import.meta.url));

/** Read once: a command that runs in this process has an environment of its own. */
const INHERITED = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(WORKRAIL_|COLUMNS$|NO_COLOR$|FORCE_COLOR$|npm_lifecycle_event$|npm_command$)/u.test(name),
  ),
);

const SAVE_OPTIONS = {
  session: { type: "string" },
  id: { type: "string" },
  name: { type: "string" },
  tag: { type: "string", multiple: true },
  workflow: { type: "string" },
  agent: { type: "string" },
  parent: { type: "string" },
  metadata: { type: "string" },
} as const;

interface RunOptions {
  /** Standard input. Default: empty. */
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the project of the test. */
  readonly cwd?: string;
}

interface HereOptions extends RunOptions {
  /** Makes the outputs terminals of this width. */
  readonly columns?: number;
  /** Makes the terminals have colours. Default: false. */
  readonly hasColours?: boolean;
}

interface SpawnOptions extends RunOptions {
  /** Default: the launcher of the bundle. */
  readonly launcher?: string;
}

/** The bundled command line, with a directory for each test. */
export class CliUnderTest {
  /** Directory of the bundle. */
  dist = "";
  /** Directory of the project and the data directory; removed after the test. */
  folder = "";

  get project(): string {
    return join(this.folder, "project");
  }

  get dataDir(): string {
    return join(this.folder, "data");
  }

  get launcher(): string {
    return join(this.dist, "workrail.mjs");
  }

  get env(): NodeJS.ProcessEnv {
    return { ...INHERITED, WORKRAIL_DATA_DIR: this.dataDir, NODE_COMPILE_CACHE: join(this.dist, "..", "cache") };
  }

  /**
   * Runs a command from its sources, in the process of the test. `npm run test:faults` runs the bundle in a process of its own instead, as
   * do the small programs.
   */
  run(args: readonly string[], { input = "", env = {}, cwd = this.project, columns, hasColours }: HereOptions = {}): Promise<Outcome> {
    const spawns = columns === undefined && (IS_LONG || lightPart(args) !== undefined);
    if (spawns) return this.spawn(args, { input, env, cwd });
    return runHere(args, { launcher: this.launcher, input, cwd, env: { ...this.env, ...env }, columns, hasColours });
  }

  /** Runs a command of the bundle in a process of its own. */
  spawn(
    args: readonly string[],
    { input = "", env = {}, cwd = this.project, launcher = this.launcher }: SpawnOptions = {},
  ): Promise<Outcome> {
    return run(process.execPath, [launcher, ...args], { input, cwd, env: { ...this.env, ...env } });
  }

  /** Runs a shell line in which `workrail` is the command line. */
  shell(line: string, env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    const workrail = `workrail() { '${process.execPath}' '${this.launcher}' "$@"; }`;
    return run("sh", ["-c", `${workrail}; ${line}`], { input: "", cwd: this.project, env: { ...this.env, ...env } });
  }

  /** Runs a command that must succeed, and returns its output. */
  async output(args: readonly string[], options?: RunOptions): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    if (code !== 0) throw new Error(`workrail ${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  }

  /** Runs a command with `--json` that must succeed, and returns its parsed output. */
  async json<T>(args: readonly string[], options?: RunOptions): Promise<T> {
    return JSON.parse(await this.output([...args, "--json"], options)) as T;
  }

  /**
   * Saves as `workrail save` does, and returns the output of that command. Uses the library, in a twentieth of the time of a process; the
   * command itself has its own tests.
   */
  async save(context: object, ...args: readonly string[]): Promise<string> {
    const { values } = parseArgs({ args: [...args], options: SAVE_OPTIONS });
    const { session: sessionId, id, name, tag: tags, workflow: workflowId, agent: agentId, parent: parentId } = values;
    await using store = await openWorkrail({ dataDir: this.dataDir, cwd: this.project, env: {} });
    const params = { sessionId, workflowId, agentId, parentId, checkpointId: id, context };
    const metadata = { ...nestedMetadata(JSON.parse(values.metadata ?? "{}") as object), name, tags };
    const { checkpointId } = await store.saveCheckpoint({ ...params, metadata });
    return `${checkpointId}\n`;
  }

  /** Writes a file into the project. */
  write(name: string, content: string | Uint8Array): void {
    writeFileSync(join(this.project, name), content);
  }

  /** Replaces values that differ from run to run by fixed ones of the same width. */
  normal(text: string): string {
    return text
      .replaceAll(this.folder, "<folder>")
      .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gu, "00000000-0000-4000-8000-000000000000")
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/gu, "2026-01-31T12:00:00.000Z")
      .replaceAll(/\b\d+(?= B\b)|(?<=contextSizeBytes +)\d+/gu, (size) => "9".repeat(size.length))
      .replaceAll(/(?<= )\d{1,2}[sm](?= )/gu, (age) => "0s".padStart(age.length));
  }
}

/** Builds the command line before the tests of a file, and gives each test a fresh directory. */
export function useCli(): CliUnderTest {
  const cli = new CliUnderTest();
  beforeAll(async () => {
    cli.dist = await bundleOnce({ app: APP, config });
  });
  beforeEach(() => {
    cli.folder = realpathSync(mkdtempSync(join(tmpdir(), "workrail-cli-")));
    mkdirSync(cli.project);
  });
  afterEach(() => rmSync(cli.folder, { recursive: true, force: true, maxRetries: 3 }));
  return cli;
}

function run(
  command: string,
  args: readonly string[],
  { input, ...options }: { readonly input: string | Uint8Array; readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }));
    // A process that does not read its input may have ended before the write.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

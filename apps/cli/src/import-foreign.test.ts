import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { useCli } from "./testing/use-cli.ts";

const cli = useCli();

const GRAPH = [
  '{"type":"entity","name":"shop","entityType":"project","observations":["deploys on Fridays — never on Mondays"]}',
  '{"type":"relation","from":"shop","to":"redis","relationType":"keeps carts in"}',
].join("\n");
const OLD = new Date("2026-01-31T12:00:00.000Z");

interface Answer {
  readonly imports: readonly { readonly sessionId: string; readonly added: number; readonly present: number; readonly leftOut: number }[];
  readonly skipped: readonly { readonly place: string; readonly reason: string }[];
}

describe("workrail import of another program's data", () => {
  let file = "";
  beforeEach(() => {
    file = join(cli.project, "memory.jsonl");
    write(GRAPH, OLD);
  });

  const write = (text: string, date: Date): void => {
    writeFileSync(file, text);
    utimesSync(file, date, date);
  };
  const home = (): Record<string, string> => ({ HOME: cli.folder, USERPROFILE: cli.folder, npm_config_cache: join(cli.folder, "npm") });

  it("adds the data once, with its dates and texts, and later only new data", async () => {
    const { stdout, stderr } = await cli.run(["import", "server-memory", "memory.jsonl"]);
    expect(stderr).toMatch(/^memory\.jsonl: session [0-9a-f-]{36}, checkpoints: added 1\.\n$/u);
    const session = stdout.trim();
    expect(await cli.output(["load", "--session", session])).toBe(
      '{"shop":{"entityType":"project","observations":["deploys on Fridays — never on Mondays"],"relations":{"keeps carts in":["redis"]}}}',
    );
    const listed = await cli.json<{ checkpoints: readonly object[] }>(["list", "--session", session]);
    expect(listed.checkpoints).toMatchObject([{ name: "knowledge graph", tags: ["server-memory"], createdAt: OLD.toISOString() }]);
    expect(await cli.json<Answer>(["import", "server-memory", "memory.jsonl"])).toMatchObject({
      imports: [{ added: 0, present: 1 }],
      skipped: [],
    });
    write(`${GRAPH}\n{"type":"entity","name":"redis","entityType":"service","observations":[]}`, new Date("2026-02-01T00:00:00.000Z"));
    expect(await cli.json<Answer>(["import", "server-memory", "memory.jsonl"])).toMatchObject({
      imports: [{ sessionId: session, added: 1 }],
    });
    expect(JSON.parse(await cli.output(["load", "--session", session]))).toHaveProperty("redis");
    expect(await cli.output(["search", "Fridays"])).toContain("knowledge graph");
  });

  it("does not change a session that was continued here, unless the program's state is newer", async () => {
    const session = (await cli.output(["import", "server-memory", "memory.jsonl"])).trim();
    await cli.save({ mine: true }, "--session", session);
    write(GRAPH.replace("shop", "store"), new Date("2026-02-01T00:00:00.000Z"));
    expect(await cli.json<Answer>(["import", "server-memory", "memory.jsonl"])).toMatchObject({ imports: [{ added: 0, leftOut: 1 }] });
    expect(await cli.output(["load", "--session", session])).toBe('{"mine":true}');
  });

  it("reports a dry run, and changes nothing", async () => {
    const { code, stderr } = await cli.run(["import", "server-memory", "memory.jsonl", "--dry-run"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/to add 1\.\n$/u) });
    expect(globSync("**", { cwd: cli.dataDir })).toEqual([]);
  });

  it("names the lines that it skips, and imports the others", async () => {
    write(`{"type":"entity"\n${GRAPH}`, OLD);
    expect(await cli.run(["import", "server-memory", "memory.jsonl"])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Left out: .*memory\.jsonl:1: it is not a JSON object\.\nmemory\.jsonl: session .* added 1\.\n$/u),
    });
    const { skipped } = await cli.json<Answer>(["import", "server-memory", "memory.jsonl"]);
    expect(skipped).toEqual([{ place: expect.stringMatching(/memory\.jsonl:1$/u), reason: "it is not a JSON object" }]);
  });

  it("obeys the rules for secrets, and continues with other sessions", async () => {
    const token = ["ghp", "abcdefghijklmnopqrstuvwxyz0123456789"].join("_");
    mkdirSync(join(cli.project, "notes", "b"), { recursive: true });
    cli.write("notes/a.md", `token ${token}`);
    cli.write("notes/b/c.md", "nothing secret");
    const refused = await cli.run(["import", "basic-memory", "notes", "--secrets", "block", "--json"]);
    expect(refused.code).not.toBe(0);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      imports: [{ name: "b", added: 1 }],
      skipped: [{ reason: expect.stringMatching(/^SECRET_FOUND/u) }],
    });
    const redact = ["import", "basic-memory", "notes", "--secrets", "redact"];
    expect(await cli.json<Answer>(redact)).toMatchObject({ imports: [{ added: 1, secrets: { action: "redacted" } }, { present: 1 }] });
    expect(await cli.json<Answer>(redact)).toMatchObject({ imports: [{ added: 0, present: 1 }, { present: 1 }] });
  });

  it("finds the program's default place, and names the places that it searched", async () => {
    const nothing = await cli.run(["import", "mcp-memory-keeper"], { env: home() });
    expect(nothing).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(join(cli.folder, "mcp-data", "memory-keeper")) });
    expect(await cli.json<Answer>(["import", "server-memory"], { env: { ...home(), MEMORY_FILE_PATH: file } })).toMatchObject({
      imports: [{ file, added: 1 }],
    });
  });

  it("reads a plain name as the source, and a path as a file", async () => {
    cli.write("server-memory", "no export");
    expect(await cli.run(["import", "./server-memory"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("it is not a JSON object"),
    });
    expect(await cli.run(["import", "server-memory", "none.jsonl"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^INVALID_INPUT: none\.jsonl cannot be read: it does not exist\.\n/u),
    });
  });

  it.each(["better-sqlite3", "node:sqlite"])("reads a database with %s", async (driver) => {
    createDatabase(1);
    const args = ["import", "mcp-memory-keeper", "context.db", "--sqlite-driver", driver];
    expect(await cli.json<Answer>(args)).toMatchObject({ imports: [{ name: "session 0", added: 2 }] });
    expect(await cli.json<Answer>(args)).toMatchObject({ imports: [{ added: 0, present: 2 }] });
  });

  it("adds new rows of a database after the imported ones", async () => {
    createDatabase(2);
    const args = ["import", "mcp-memory-keeper", "context.db"];
    await cli.output(args);
    const database = new DatabaseSync(join(cli.project, "context.db"));
    database.exec(`
      INSERT INTO context_items VALUES ('new', 's1', 'next_step', 'test it', 'normal', '2025-06-28 00:00:00');
      INSERT INTO checkpoints VALUES ('later', 's1', 'second', '2025-06-28 00:00:01');
      INSERT INTO checkpoint_items VALUES ('later', 'later', 'new')`);
    database.close();
    const { imports } = await cli.json<Answer>(args);
    expect(imports).toMatchObject([
      { added: 0, present: 2 },
      { added: 2, present: 1 },
    ]);
    const latest = JSON.parse(await cli.output(["load", "--session", String(imports[1]?.sessionId)])) as object;
    expect(latest).toMatchObject({ goal: "number 1", next_step: "test it" });
  });

  it("leaves only whole checkpoints when it is killed, and completes the import in a repeated run", async () => {
    createDatabase(30);
    const before = readFileSync(join(cli.project, "context.db"));
    const files = (): readonly string[] => globSync("contexts/*/*.json.gz", { cwd: cli.dataDir });
    for (const enough of [1, 20]) {
      const args = [cli.launcher, "import", "mcp-memory-keeper", "context.db"];
      const child = spawn(process.execPath, args, { cwd: cli.project, env: cli.env, stdio: "ignore" });
      const ended = once(child, "exit");
      while (files().length < enough && child.exitCode === null) await pause(1);
      child.kill("SIGKILL");
      await ended;
    }
    const { imports } = await cli.json<Answer>(["import", "mcp-memory-keeper", "context.db"]);
    expect(imports).toHaveLength(30);
    expect(imports.every(({ added, present, leftOut }) => added + present === 2 && leftOut === 0)).toBe(true);
    expect(imports.some(({ present }) => present > 0)).toBe(true);
    expect(readFileSync(join(cli.project, "context.db"))).toEqual(before);
    expect((await cli.json<{ total: number }>(["list", "--limit", "1", "--all-projects"])).total).toBe(60);
  });

  /** Creates a database with the schema of mcp-memory-keeper. */
  function createDatabase(sessions: number): void {
    const database = new DatabaseSync(join(cli.project, "context.db"));
    database.exec(`
      CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, created_at TIMESTAMP);
      CREATE TABLE context_items (id TEXT PRIMARY KEY, session_id TEXT, key TEXT, value TEXT, priority TEXT, created_at TIMESTAMP);
      CREATE TABLE checkpoints (id TEXT PRIMARY KEY, session_id TEXT, name TEXT, created_at TIMESTAMP);
      CREATE TABLE checkpoint_items (id TEXT PRIMARY KEY, checkpoint_id TEXT, context_item_id TEXT);`);
    for (let n = 0; n < sessions; n++) {
      database.exec(`
        INSERT INTO sessions VALUES ('s${n}', 'session ${n}', '2025-06-27 02:07:07');
        INSERT INTO context_items VALUES ('i${n}', 's${n}', 'goal', 'number ${n}', 'high', '2025-06-27 02:07:08');
        INSERT INTO checkpoints VALUES ('c${n}', 's${n}', 'first', '2025-06-27 02:07:09');
        INSERT INTO checkpoint_items VALUES ('l${n}', 'c${n}', 'i${n}')`);
    }
    database.close();
  }
});

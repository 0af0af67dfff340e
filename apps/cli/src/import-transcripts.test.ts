import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, globSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { useCli } from "./testing/use-cli.ts";

const cli = useCli();

interface Answer {
  readonly imports: readonly {
    readonly sessionId: string;
    readonly added: number;
    readonly present: number;
    readonly project?: string;
    readonly lastAt: string;
  }[];
  readonly skipped: readonly { readonly place: string; readonly reason: string }[];
  readonly leftOut: Readonly<Record<string, number>>;
}

describe("workrail import of transcripts", () => {
  let folder = "";
  beforeEach(() => {
    folder = join(cli.folder, ".claude", "projects", "-shop");
    mkdirSync(join(cli.project, ".git"), { recursive: true });
    mkdirSync(folder, { recursive: true });
  });

  const own = () => ({ env: { HOME: cli.folder, USERPROFILE: cli.folder, CLAUDE_CONFIG_DIR: join(cli.folder, ".claude") } });
  const date = (day: number): string => new Date(Date.now() - day * 86_400_000).toISOString();

  /** Appends a turn to a transcript as Claude Code writes it. */
  function write(id: string, text: string, { at = date(1), cwd = cli.project, agent = false } = {}): void {
    const entry = { parentUuid: null, isSidechain: agent, type: "user", message: { role: "user", content: text }, uuid: `${text}-${id}` };
    const file = join(folder, `${agent ? "agent-" : ""}${id}.jsonl`);
    appendFileSync(file, `${JSON.stringify({ ...entry, sessionId: id, cwd, timestamp: at })}\n`);
  }

  it("imports all transcripts once, and lists each with its date, project and name", async () => {
    write("one", "Fix the login. Never touch src/legacy.");
    write("two", "Look at it", { agent: true });
    const { stdout, stderr } = await cli.run(["import", "claude-code"], own());
    expect(stdout).toBe("claude-code-one\n");
    expect(stderr.split("\n")).toEqual([
      `${date(1).slice(0, 10)} ${cli.project} (Fix the login. Never touch src/legacy.): session claude-code-one, checkpoints: added 2.`,
      "Transcripts: 1, new or changed: 1; left out: 1 of sub-agents.",
      "",
    ]);
    expect(await cli.output(["resume", "login"], own())).toContain("Never touch src/legacy");
    const again = await cli.json<Answer>(["import", "claude-code"], own());
    expect(again).toMatchObject({
      imports: [
        { added: 0, present: 1, project: cli.project },
        { added: 0, present: 1 },
      ],
      skipped: [],
    });
    expect(await cli.run(["import", "claude-code"], own())).toMatchObject({
      stderr: "Transcripts: 1, new or changed: 0; left out: 1 of sub-agents.\n",
    });
  });

  it("selects transcripts by path, folder, project and date", async () => {
    write("one", "Fix the login.");
    write("two", "Water the plants.", { cwd: join(cli.folder, "garden"), at: date(40) });
    const dry = (...args: readonly string[]) => cli.json<Answer>(["import", "claude-code", "--dry-run", ...args], own());
    expect((await dry(join(folder, "one.jsonl"))).imports).toHaveLength(2);
    expect((await dry(folder)).imports).toHaveLength(4);
    expect(await dry("--project", ".")).toMatchObject({ imports: [{}, {}], leftOut: { "other-project": 1 } });
    expect(await dry("--since", "30d")).toMatchObject({ imports: [{}, {}], leftOut: { older: 1 } });
    expect(await dry("--since", date(50).slice(0, 10))).toMatchObject({ leftOut: { older: 0 } });
    expect(globSync("**", { cwd: cli.dataDir })).toEqual([]);
  });

  it("names files that are no transcripts, and refuses wrong options", async () => {
    write("one", "Fix the login.");
    appendFileSync(join(folder, "other.jsonl"), "no transcript\n");
    const { skipped } = await cli.json<Answer>(["import", "claude-code"], own());
    expect(skipped).toEqual([{ place: join(folder, "other.jsonl"), reason: "its first lines name no session of the host" }]);
    for (const args of [
      ["claude-code", "none.jsonl"],
      ["claude-code", "--on-conflict", "skip"],
      ["claude-code", "--since", "soon"],
      ["claude-code", "--since", "2026-02-30"],
      ["server-memory", "--since", "7d"],
      ["codex"],
    ]) {
      expect(await cli.run(["import", ...args], own())).toMatchObject({ code: 2, stdout: "" });
    }
  });

  it("killed at any moment leaves whole checkpoints, and a repeated run completes it", async () => {
    for (let n = 0; n < 40; n++) write(`s${n}`, `Task number ${n}`);
    const files = (): readonly string[] => globSync("contexts/*/*.json.gz", { cwd: cli.dataDir });
    for (const enough of [1, 20]) {
      const env = { ...cli.env, ...own().env };
      const child = spawn(process.execPath, [cli.launcher, "import", "claude-code"], { cwd: cli.project, env, stdio: "ignore" });
      const ended = once(child, "exit");
      while (files().length < enough && child.exitCode === null) await pause(1);
      child.kill("SIGKILL");
      await ended;
    }
    const { imports } = await cli.json<Answer>(["import", "claude-code"], own());
    expect(imports.every(({ added, present }) => added + present === 1)).toBe(true);
    expect(imports.some(({ present }) => present > 0)).toBe(true);
    expect((await cli.json<{ total: number }>(["list", "--limit", "1", "--all-projects"])).total).toBe(80);
  });
});

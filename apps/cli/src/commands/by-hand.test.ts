import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditLogResult } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();

describe("without a store", () => {
  it.each([
    "list",
    "sessions",
    "resume",
    "status",
    "trash",
    "audit",
    "stats",
    "search x",
    "log x",
    "show x",
    "export x",
    "config",
    "ls",
    "keep x",
    "tag x y",
    "pin x y",
    "unpin x y",
    "trash restore x",
  ])("workrail %s creates no store", async (command) => {
    await cli.run(command.split(" "));
    expect(existsSync(cli.dataDir)).toBe(false);
  });

  it("workrail status reports that there is no store yet", async () => {
    expect(await cli.output(["status"])).toContain("There is no store yet; the first save creates it.");
  });

  it("a folder with only settings is no store, and its settings apply", async () => {
    mkdirSync(cli.dataDir);
    writeFileSync(join(cli.dataDir, "config.json"), '{ "retentionDays": 3 }');
    expect(await cli.run(["list"])).toMatchObject({ code: 0, stdout: "" });
    expect(readdirSync(cli.dataDir)).toEqual(["config.json"]);
  });
});

describe("aliases of commands", () => {
  it("run the command that they stand for", async () => {
    await cli.save({ a: 1 }, "--session", "s", "--id", "cp-1");
    expect(await cli.output(["ls"])).toMatch(/^CHECKPOINT .*\ncp-1 /u);
    expect(await cli.run(["version"])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
    expect(await cli.output(["prune", "--keep-last", "1", "--dry-run"])).toBe("There is nothing to remove.\n");
    expect(await cli.output(["rm", "cp-1", "--yes"])).toContain("Moved to the trash: checkpoints: 1");
  });

  it.each(["trash", "config", "audit"])("workrail %s without a subcommand lists", async (command) => {
    await cli.save({ a: 1 }, "--session", "s", "--id", "cp-1");
    await cli.output(["delete", "cp-1", "--yes"]);
    const alone = await cli.run([command]);
    expect(alone).toMatchObject({ code: 0, stdout: expect.stringMatching(/^(?:CHECKPOINT|SETTING|ROW)/u) });
    expect(alone.stdout.split("\n")[0]).toBe((await cli.run([command, "list"])).stdout.split("\n")[0]);
  });

  it("unknown subcommands are named, with the closest known one", async () => {
    const { code, stderr } = await cli.run(["trash", "restor", "x"]);
    expect(code).toBe(2);
    expect(stderr).toBe("INVALID_INPUT: unknown command 'restor' (Did you mean restore?)\n  See: workrail trash --help\n");
  });
});

describe("--session", () => {
  it.each([
    ["log", []],
    ["tag", ["urgent"]],
    ["pin", ["goal"]],
    ["unpin", ["goal"]],
    ["keep", []],
    ["export", ["--output", "-"]],
  ] as const)("names the session for workrail %s, like the first argument", async (command, rest) => {
    await cli.save({ goal: "x" }, "--session", "s", "--id", "cp-1");
    if (command === "unpin") await cli.output(["pin", "s", "goal"]);
    expect(await cli.run([command, "--session", "s", ...rest])).toMatchObject({ code: 0 });
    expect(await cli.run([command, "--session", "none", ...rest])).toMatchObject({ code: 10 });
    expect(await cli.run([command])).toMatchObject({ code: 2, stderr: expect.stringMatching(/session/iu) });
  });

  it("names the session for workrail trash restore", async () => {
    await cli.save({ goal: "x" }, "--session", "s", "--id", "cp-1");
    await cli.output(["delete", "cp-1", "--yes"]);
    expect(await cli.run(["trash", "restore", "--session", "s", "cp-1"])).toMatchObject({ code: 0, stdout: "cp-1\n" });
  });

  it("is refused together with another session", async () => {
    expect(await cli.run(["log", "one", "--session", "two"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Two sessions are given, one and two."),
    });
  });
});

describe("a missing object", () => {
  it("is reported before the confirmation is asked for", async () => {
    for (const args of [["nosuch"], ["--session", "nosuch"], ["nosuch", "--permanently"]]) {
      expect(await cli.run(["delete", ...args])).toMatchObject({
        code: 10,
        stderr: expect.stringMatching(/^\w+_NOT_FOUND: There is no /u),
      });
    }
  });

  it.each([
    ["save missing.json", "The context cannot be read from missing.json: it does not exist."],
    ["save .", "The context cannot be read from .: it is a directory."],
    ["import missing.json", "missing.json cannot be read: it does not exist."],
    ["restore missing", "missing is no backup: it does not exist."],
    ["encrypt --encryption-key-file missing", "missing cannot be read: it does not exist."],
  ])("is named by workrail %s", async (command, message) => {
    const { code, stderr } = await cli.run(command.split(" "));
    expect(code).toBe(command.startsWith("encrypt") ? 12 : 2);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/ENOENT|EISDIR|\n\s+at /u);
  });

  it.each([
    ["{", "config.json"],
    ['{ "retentionDay": 3 }', "retentionDays"],
    ['{ "retentionDays": "long" }', "retentionDays"],
  ])("an unusable configuration (%s) is reported in words", async (text, named) => {
    mkdirSync(cli.dataDir);
    writeFileSync(join(cli.dataDir, "config.json"), text);
    const { stderr } = await cli.run(["list"]);
    expect(stderr).toContain(named);
    expect(stderr).not.toMatch(/\n\s+at /u);
  });
});

describe("workrail export", () => {
  async function exportRows(): Promise<AuditLogResult["entries"]> {
    return (await cli.json<AuditLogResult>(["audit", "--action", "export"])).entries;
  }

  it("writes into a folder under the name of the workflow or the session", async () => {
    await cli.save({ a: 1 }, "--session", "s", "--workflow", "deploy");
    await cli.save({ a: 1 }, "--session", "plain");
    mkdirSync(join(cli.project, "out"));
    await cli.output(["export", "s", "--output", "out"]);
    await cli.output(["export", "plain", "--output", "new/"]);
    const today = new Date().toISOString().slice(0, 10);
    expect(readdirSync(join(cli.project, "out"))).toEqual([`deploy-${today}.json`]);
    expect(readdirSync(join(cli.project, "new"))).toEqual([`plain-${today}.json`]);
  });

  it("is written to the audit log on success, and not on failure", async () => {
    await cli.save({ a: 1 }, "--session", "s");
    cli.write("taken.json", "");
    for (const file of ["nowhere/x.json", "taken.json"]) {
      expect(await cli.run(["export", "s", "--output", file])).toMatchObject({ code: 2 });
    }
    expect(await exportRows()).toEqual([]);
    await cli.output(["export", "s", "--output", "s.json"]);
    await cli.output(["export", "s", "--output", "-"]);
    expect((await exportRows()).map(({ sessionId, reason }) => [sessionId, reason])).toEqual([
      ["s", undefined],
      ["s", undefined],
    ]);
  });
});

describe("workrail resume", () => {
  it("shows the only candidate", async () => {
    await cli.save({ goal: "mend the parser" }, "--session", "fix-the-parser", "--id", "cp-1");
    const { code, stdout, stderr } = await cli.run(["resume"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("mend the parser") });
    expect(stderr).toMatch(/^The only candidate is session fix-the-parser: .*\.\nCheckpoint cp-1, saved /u);
    expect(stderr).toContain("`workrail show cp-1` shows all that was saved.");
    expect(stdout + stderr).not.toMatch(/workflow_|checkpointId|<id>/u);
  });

  it("prints the commands for several candidates", async () => {
    await cli.save({ goal: "one" }, "--session", "one-task");
    await cli.save({ goal: "two" }, "--session", "two");
    const { stderr } = await cli.run(["resume"], { env: { npm_lifecycle_event: "npx" } });
    expect(stderr).toBe(
      `Commands that show them:\n  npx -y @workrail/cli resume --session two\n  npx -y @workrail/cli resume --session one-task\n`,
    );
    expect((await cli.json<{ status: string }>(["resume"])).status).toBe("CANDIDATES");
  });
});

describe("sizes", () => {
  it("show no ratio when a small context takes more as a file than as JSON", async () => {
    await cli.save({ a: 1 }, "--session", "s");
    const stats = await cli.output(["stats"]);
    expect(stats).not.toMatch(/\b0\.\dx/u);
    expect(stats).toMatch(/^Contexts: \d+ B, stored in \d+ B\.$/mu);
  });

  it("name their unit of measure", async () => {
    const { stderr } = await cli.run(["save", "--session", "s"], { input: '{"a":1}' });
    expect(stderr).toMatch(/^Saved in session s, stored in \d+ B\.$/mu);
    expect(await cli.output(["list"])).toMatch(/^CHECKPOINT +AGE +STORED /u);
    expect(await cli.output(["status"])).toMatch(/^Quota: checkpoints and trash take \d+ B of /mu);
    expect((await cli.run(["export", "s", "--output", "s.json"])).stderr).toMatch(/^Exported session s to a file of \d+ B\.$/mu);
  });
});

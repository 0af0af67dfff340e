import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configJsonSchema } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();

function writeConfig(text: string): void {
  mkdirSync(cli.dataDir, { recursive: true });
  writeFileSync(join(cli.dataDir, "config.json"), text);
}

interface Listed {
  readonly settings: readonly { readonly name: string; readonly value?: unknown; readonly origin: string; readonly source?: string }[];
  readonly issues: readonly object[];
}

describe("workrail config", () => {
  it("lists the effective values and their sources", async () => {
    writeConfig('{\n  "maxDepth": 5, // few\n  "trashDays": 3, "condenserKey": "hunter2" }');
    const env = { WORKRAIL_TRASH_DAYS: "4", WORKRAIL_RETENTION_DAYS: "40" };
    const text = await cli.output(["config", "list", "--origin", "--retention-days=50"], { env });
    const lines = cli.normal(text).split("\n");
    expect(lines[0]).toMatch(/^SETTING +VALUE +ORIGIN +MEANING$/u);
    for (const line of [
      /^dataDir +<folder>\/data +WORKRAIL_DATA_DIR +\S/u,
      /^maxDepth +5 +<folder>\/data\/config\.json:2 +\S/u,
      /^trashDays +4 +WORKRAIL_TRASH_DAYS +\S/u,
      /^retentionDays +50 +--retention-days +\S/u,
      /^condenserKey +\(not shown\) +<folder>\/data\/config\.json:3 +\S/u,
      /^maxKeys +100000 +default +\S/u,
    ]) {
      expect(lines).toContainEqual(expect.stringMatching(line));
    }
    const listed = await cli.json<Listed>(["config", "list"], { env });
    expect(listed).toMatchObject({ file: join(cli.dataDir, "config.json"), hasFile: true, issues: [] });
    expect(listed.settings).toContainEqual({ name: "trashDays", value: 4, origin: "environment", source: "WORKRAIL_TRASH_DAYS" });
    expect(JSON.stringify(listed)).not.toContain("hunter2");
  });

  it("sets, gets and unsets a setting of the file, and keeps comments", async () => {
    expect(await cli.run(["config", "set", "maxCheckpoints", "50"])).toEqual({
      code: 0,
      stdout: "",
      stderr: `maxCheckpoints is set in ${join(cli.dataDir, "config.json")}.\n`,
    });
    writeConfig(readFileSync(join(cli.dataDir, "config.json"), "utf8").replace("50", "50 // of a session"));
    expect(await cli.output(["config", "get", "maxCheckpoints"])).toBe("50\n");
    const env = { WORKRAIL_MAX_CHECKPOINTS: "7" };
    expect((await cli.run(["config", "set", "maxCheckpoints", "60"], { env })).stderr).toContain(
      "but WORKRAIL_MAX_CHECKPOINTS overrides it",
    );
    expect(readFileSync(join(cli.dataDir, "config.json"), "utf8")).toContain("60 // of a session");
    expect(await cli.json(["config", "unset", "maxCheckpoints"])).toMatchObject({ value: null, holds: { value: 100, origin: "default" } });
    expect(await cli.json(["config", "get", "project"])).toEqual({ name: "project", value: null, origin: "default" });
    expect(await cli.output(["config", "get", "project"])).toBe("");
  });

  it("resolves the file's paths regardless of the working directory", async () => {
    await cli.output(["config", "set", "encryptionKeyFile", "key"]);
    const given = join(cli.project, "key");
    expect(await cli.output(["config", "get", "encryptionKeyFile"], { cwd: cli.folder })).toBe(`${given}\n`);
    writeConfig('{ "encryptionKeyFile": "../key" }');
    expect(await cli.output(["config", "get", "encryptionKeyFile"])).toBe(`${join(cli.folder, "key")}\n`);
  });

  it.each([
    [["set", "maxDepht", "5"], "There is no setting maxDepht.", "Did you mean maxDepth?"],
    [["set", "maxDepth", "many"], 'maxDepth must be a whole number from 1, not "many".', "Correct or remove maxDepth."],
    [["get", "depth"], "There is no setting depth.", "`workrail config list` lists all settings."],
  ])("refuses %j, and writes nothing", async (args, message, hint) => {
    expect(await cli.run(["config", ...args])).toEqual({ code: 2, stdout: "", stderr: `INVALID_INPUT: ${message}\n  ${hint}\n` });
    expect(existsSync(cli.dataDir)).toBe(false);
  });

  it("prints the path and the schema even if the file is invalid", async () => {
    writeConfig("{");
    expect(await cli.output(["config", "path"])).toBe(`${join(cli.dataDir, "config.json")}\n`);
    expect(JSON.parse(await cli.output(["config", "schema"]))).toEqual(await configJsonSchema());
  });

  it("lists the settings of an invalid file; other commands fail", async () => {
    writeConfig('{\n  "maxDepht": 5 }');
    const where = `(${join(cli.dataDir, "config.json")}, line 2)`;
    const listed = await cli.run(["config", "list"]);
    expect(listed).toMatchObject({ code: 2, stdout: expect.stringContaining("maxDepth") });
    expect(listed.stderr).toContain(`There is no setting maxDepht ${where}.`);
    expect(await cli.run(["list"])).toEqual({
      code: 2,
      stdout: "",
      stderr: `INVALID_INPUT: There is no setting maxDepht ${where}.\n  Did you mean maxDepth?\n`,
    });
    for (const args of [["--version"], ["--help"], ["list", "--help"]]) expect(await cli.run(args)).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("a setting as an option", () => {
  it("overrides the environment and the file, before or after the command", async () => {
    writeConfig('{ "maxDepth": 2 }');
    const input = '{"a":[[1]]}';
    for (const args of [
      ["save", "--max-depth", "3"],
      ["--max-depth=3", "save"],
    ]) {
      expect(await cli.run(args, { input, env: { WORKRAIL_MAX_DEPTH: "2" } })).toMatchObject({ code: 0 });
    }
    expect((await cli.run(["save"], { input: '{"b":[[1]]}' })).stderr).toContain("deeper than 2 levels");
  });

  it("warns of a misspelled variable, with a hint", async () => {
    const { stderr } = await cli.run(["list"], { env: { WORKRAIL_MAX_DEPHT: "5" } });
    expect(stderr).toMatch(
      /^warning: WORKRAIL_MAX_DEPHT is ignored, .* \(field: WORKRAIL_MAX_DEPHT\)\n {2}Did you mean WORKRAIL_MAX_DEPTH\?\n/u,
    );
  });

  it("accepts the alias --storage-path", async () => {
    await cli.output(["save", "--storage-path", join(cli.folder, "elsewhere")], { input: "{}" });
    expect(existsSync(join(cli.folder, "elsewhere/workrail.db"))).toBe(true);
    expect(existsSync(cli.dataDir)).toBe(false);
  });

  it.each([
    ["--max-dept", "5", "unknown option '--max-dept' (Did you mean --max-depth?)"],
    ["--log-level", "info", "unknown option '--log-level'"],
    ["--encryption", "on", '--encryption must be enabled or disabled, not "on".'],
    ["--encryption-key", "AAAA", "unknown option '--encryption-key' (Did you mean --encryption?)"],
  ])("refuses %s %s", async (option, value, message) => {
    const { code, stderr } = await cli.run(["save", option, value], { input: "{}" });
    expect({ code, stderr: stderr.split("\n")[0] }).toEqual({ code: 2, stderr: `INVALID_INPUT: ${message}` });
  });
});

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();
const hasBash = process.platform !== "win32" && spawnSync("bash", ["--version"]).status === 0;

describe("workrail doctor", () => {
  it("reports each check with advice on failures, and a matching exit code", async () => {
    const { code, stdout } = await cli.run(["doctor"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {7}node {12}This is Node .*\n/u);
    expect(stdout).toMatch(/^ok {7}round-trip {6}A context was saved and came back exactly, in \d+ ms\.\n/mu);
    expect(stdout).toMatch(/\n\nWorkrail can work here\.\n$/u);
    mkdirSync(cli.dataDir);
    writeFileSync(join(cli.dataDir, "config.json"), '{\n "maxDepht": 5\n}');
    const broken = await cli.run(["doctor", "--json"]);
    expect(broken).toMatchObject({ code: 2, stderr: "" });
    expect(JSON.parse(broken.stdout)).toMatchObject({
      dataDir: cli.dataDir,
      isHealthy: false,
      findings: expect.arrayContaining([
        expect.objectContaining({ check: "configuration", status: "error", hint: "Did you mean maxDepth?" }),
        expect.objectContaining({ check: "database", status: "skipped" }),
        expect.objectContaining({ check: "round-trip", status: "ok" }),
      ]) as unknown,
    });
    expect((await cli.run(["doctor"])).stdout).toContain("\n                         Did you mean maxDepth?\n");
  });
});

describe("workrail doctor, with a config.json that is broken,", () => {
  it.each([
    ["no JSON", "{"],
    ["no object", "[1]"],
    ["a wrong value", '{ "maxDepth": "deep" }'],
    ["a setting that cannot be there", '{ "dataDir": "/elsewhere" }'],
    ["no text", "\u0000\uffff"],
    ["a rule for secrets that there is not", '{ "secretsExcept": "nope" }'],
  ])("still runs all other checks: %s", async (_, text) => {
    mkdirSync(cli.dataDir);
    writeFileSync(join(cli.dataDir, "config.json"), text);
    const { code, stdout, stderr } = await cli.run(["doctor", "--json"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
    const { findings } = JSON.parse(stdout) as { readonly findings: readonly { readonly check: string; readonly status: string }[] };
    const stands = Object.fromEntries(findings.map(({ check, status }) => [check, status]));
    expect(stands).toMatchObject({ node: "ok", sqlite: "ok", configuration: "error", disk: "ok", database: "skipped", "round-trip": "ok" });
  });

  it.skipIf(process.platform === "win32")("does not wait for a pipe without a writer (skipped on Windows)", async () => {
    mkdirSync(cli.dataDir);
    await cli.shell(`mkfifo '${join(cli.dataDir, "config.json")}'`);
    const { code, stdout } = await cli.run(["doctor"]);
    expect({ code, stdout }).toMatchObject({ code: 2, stdout: expect.stringContaining("It is a symbolic link") });
    expect((await cli.run(["list"])).code).toBe(2);
  });

  it("reports whether a key is available when the store is to be sealed, and is", async () => {
    const key = async (env: Readonly<Record<string, string>>): Promise<unknown> => {
      const { findings } = JSON.parse((await cli.run(["doctor", "--json"], { env })).stdout) as {
        readonly findings: readonly { readonly check: string }[];
      };
      return findings.find(({ check }) => check === "keychain");
    };
    expect(await key({})).toMatchObject({ status: "ok", message: "The store is unencrypted, and no key is needed." });
    const encryption = { WORKRAIL_ENCRYPTION: "enabled" };
    const missing = { ...encryption, WORKRAIL_ENCRYPTION_KEY_FILE: join(cli.project, "none") };
    expect(await key(missing)).toMatchObject({ status: "error", code: "KEY_UNAVAILABLE", hint: expect.any(String) });
    const given = { ...encryption, WORKRAIL_ENCRYPTION_KEY: "0".repeat(64) };
    expect(await key(given)).toMatchObject({ status: "ok", message: expect.stringContaining("is available (environment)") });
    await cli.output(["save", "--session", "s"], { input: "{}", env: given });
    expect(await key(given)).toMatchObject({ status: "ok", message: "The store is sealed, and its key is available." });
    expect(await key({ WORKRAIL_ENCRYPTION_KEY: "1".repeat(64) })).toMatchObject({ status: "error", code: "KEY_UNAVAILABLE" });
  });

  it("runs even when the environment is invalid too", async () => {
    const env = { WORKRAIL_MAX_DEPTH: "deep", WORKRAIL_SQLITE_DRIVER: "none at all", WORKRAIL_ENCRYPTION: "maybe" };
    const { code, stdout } = await cli.run(["doctor", "--max-keys", "few"], { env });
    expect(code).toBe(2);
    expect(stdout).toContain('--max-keys must be a whole number from 1, not "few". And 3 more');
    expect(stdout).toMatch(/^ok {7}round-trip /mu);
  });
});

describe("workrail completion", () => {
  it("prints a script for each shell, which asks for completions", async () => {
    for (const shell of ["bash", "zsh", "fish", "powershell"]) {
      expect(await cli.output(["completion", shell])).toMatch(/workrail.*complete/su);
    }
    expect(await cli.run(["completion", "tcsh"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("bash, zsh, fish, powershell"),
    });
  });

  it.skipIf(!hasBash)("prints a script that bash can parse (skipped without bash)", async () => {
    expect(spawnSync("bash", ["-n"], { input: await cli.output(["completion", "bash"]), encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
    });
  });

  it("completes commands, options and their values", async () => {
    const offered = async (...words: readonly string[]): Promise<readonly string[]> =>
      (await cli.output(["complete", "--", ...words])).split("\n").map((line) => line.split("\t")[0] ?? "");
    expect(await offered("li")).toContain("list");
    expect(await offered("list", "--s")).toEqual(expect.arrayContaining(["--session", "--since"]));
    expect(await offered("config", "s")).toEqual(expect.arrayContaining(["set", "schema"]));
    expect(await offered("list", "--kind", "")).toContain("workflow");
  });
});

describe("workrail search", () => {
  it("finds checkpoints by the words of their texts, and reports when there are none", async () => {
    await cli.save({ notes: "the parser drops trailing commas" }, "--session", "task", "--id", "found", "--name", "a find");
    await cli.save({ notes: "nothing to see" }, "--session", "other");
    const { code, stdout } = await cli.run(["search", "trailing", "commas"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^found {2}session task {2}\d+s {2}a find .*score \d\.\d\d\n {2}.*trailing commas/u);
    expect(await cli.json(["search", "parser", "--session", "task"])).toMatchObject({
      hits: [{ checkpoint: { id: "found" }, head: "found" }],
    });
    expect(await cli.run(["search", "zebra"])).toEqual({ code: 0, stdout: "", stderr: "Nothing was found.\n" });
  });
});

describe("workrail resume and handoff", () => {
  it("show the candidates, their state, and how to hand them over", async () => {
    await cli.save({ goal: "mend the parser", nextSteps: ["write the test"] }, "--session", "task", "--id", "here", "--agent", "ada");
    const meant = await cli.run(["resume"]);
    expect(meant).toMatchObject({ code: 0, stdout: expect.stringMatching(/mend the parser/u) });
    expect(await cli.json(["resume", "parser"])).toMatchObject({ status: "CANDIDATES", candidates: [{ checkpointId: "here" }] });
    const resumed = await cli.run(["resume", "--session", "task"]);
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining("mend the parser") });
    expect(resumed.stderr).toMatch(/^Checkpoint here, saved [\d-]+T[\d:.]+Z by ada\.\n/u);
    const notThere = await cli.run(["resume", "--session", "tsak"]);
    expect(notThere).toMatchObject({
      stdout: expect.stringContaining("task"),
      stderr: expect.stringMatching(/^There is no session tsak/u),
    });
    const notThereSince = await cli.run(["resume", "--session", "tsak", "--since", "here"]);
    expect(notThereSince).toMatchObject({ code: 0, stderr: expect.stringMatching(/^There is no session tsak/u) });
    await cli.save({ goal: "g", debugLog: "z ".repeat(4_000) }, "--session", "long", "--id", "cp");
    const view = await cli.run(["resume", "--session", "long", "--depth", "view", "--budget", "400"]);
    expect(view.stderr).toContain("Not all entries are whole: 1 shortened, 0 left out. `workrail show cp` shows all.");
    const steps = Array.from({ length: 40 }, (_, at) => ({
      number: `step-${at}`,
      description: `write part ${at} of the manual`,
      isFinished: at < 3,
    }));
    await cli.save({ goal: "g", steps }, "--session", "rows", "--id", "rows");
    const rows = await cli.run(["resume", "--session", "rows", "--depth", "view", "--budget", "850"]);
    expect(rows.stderr).toContain("Nothing is left out. Complete, but in another form, such as a list as a table: 1. `workrail show rows`");
    expect((await cli.run(["handoff", "here"])).stdout).toContain("write the test");
    expect(await cli.json(["handoff", "--session", "task"])).toMatchObject({
      checkpointId: "here",
      markdown: expect.any(String) as string,
    });
    expect(await cli.run(["handoff"])).toMatchObject({ code: 2, stderr: expect.stringContaining("No checkpoint is named.") });
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openWorkrail } from "@workrail/runtime";
import { beforeEach, describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();

/** Delays each write of a file, so that the test can interrupt between two on any machine. */
const WRITES_SLOWLY = `
  import fs from "node:fs";
  const { open } = fs.promises;
  fs.promises.open = async (...given) => {
    const handle = await open(...given);
    const write = handle.writeFile.bind(handle);
    handle.writeFile = (bytes) => new Promise((resolve) => setTimeout(resolve, 200)).then(() => write(bytes));
    return handle;
  };
`;

describe("workrail export", () => {
  beforeEach(async () => {
    await cli.save({ n: 1 }, "--session", "s", "--id", "cp-1", "--workflow", "flow");
    await cli.save({ n: 2 }, "--session", "s", "--id", "cp-2", "--workflow", "flow");
    await cli.save({ n: 1 }, "--session", "t", "--id", "cp-3");
  });

  it("writes a file in the data directory, and prints its name", async () => {
    const { code, stdout, stderr } = await cli.run(["export", "s"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^Exported session s to a file of .+ KiB\.\n$/u) });
    expect(stdout.trim()).toMatch(/data.exports.flow-\d{4}-\d\d-\d\d\.json$/u);
    expect(JSON.parse(readFileSync(stdout.trim(), "utf8"))).toMatchObject({
      format: "workrail-session",
      version: 1,
      session: { id: "s" },
      checkpoints: [
        { id: "cp-1", parentId: null, context: { n: 1 } },
        { id: "cp-2", parentId: "cp-1", context: { n: 2 } },
      ],
    });
  });

  it.skipIf(process.platform === "win32")(
    "leaves no file when it is interrupted (skipped on Windows, where that ends a process at once)",
    async () => {
      const store = await openWorkrail({ dataDir: cli.dataDir, cwd: cli.project, env: {} });
      const large = "all that it saw ".repeat(20_000);
      for (let n = 0; n < 20; n++) await store.saveCheckpoint({ sessionId: "large", context: { n, large } });
      await store.close();
      const slowly = ["--import", `data:text/javascript,${encodeURIComponent(WRITES_SLOWLY)}`];
      const child = spawn(process.execPath, [...slowly, cli.launcher, "export", "large", "--output", "large.json"], {
        cwd: cli.project,
        env: cli.env,
        stdio: "ignore",
      });
      const exited = once(child, "exit");
      while (globSync(join(cli.project, ".tmp-export-*")).length === 0 && child.exitCode === null) await pause(1);
      child.kill("SIGINT");
      expect(await exited).toEqual([null, "SIGINT"]);
      expect(readdirSync(cli.project)).toEqual([]);
    },
  );

  it("writes the same to a file and to standard output", async () => {
    const file = join(cli.project, "s.json");
    expect(await cli.json(["export", "s", "--output", "s.json"])).toEqual({
      sessionId: "s",
      file,
      sizeBytes: expect.any(Number),
      unreadable: [],
    });
    const { code, stdout, stderr } = await cli.run(["export", "s", "--output", "-"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(readFileSync(file, "utf8"));
    expect(await cli.run(["export", "s", "--output", "s.json"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`The file ${file} already exists.`),
    });
  });

  it("writes all sessions to a folder", async () => {
    const { stdout, stderr } = await cli.run(["export", "--all", "--output", "all"]);
    expect(stderr).toBe(`Exported sessions: 2, to ${join(cli.project, "all")}.\n`);
    expect(stdout.trim().split("\n")).toEqual([
      expect.stringMatching(/all.t-\d{4}-\d\d-\d\d\.json$/u),
      expect.stringMatching(/all.flow-\d{4}-\d\d-\d\d\.json$/u),
    ]);
  });

  it("exports readable checkpoints, names unreadable ones, and ends with the matching exit code", async () => {
    writeFileSync(join(cli.dataDir, "contexts/s/cp-1.json.gz"), "not gzip");
    const unreadable = [{ checkpointId: "cp-1", code: "CHECKPOINT_CORRUPT" }];
    const one = await cli.run(["export", "s"]);
    expect(one).toMatchObject({ code: 14, stderr: expect.stringContaining("  CHECKPOINT_CORRUPT  cp-1\n") });
    const inFile = { checkpoints: [{ id: "cp-2" }], unreadable: [{ id: "cp-1", code: "CHECKPOINT_CORRUPT" }] };
    expect(JSON.parse(readFileSync(one.stdout.trim(), "utf8"))).toMatchObject(inFile);
    const printed = await cli.run(["export", "s", "--output", "-"]);
    expect(printed).toMatchObject({ code: 14, stderr: expect.stringContaining("exported without content: 1.") });
    expect(JSON.parse(printed.stdout)).toMatchObject(inFile);
    const { code, stdout, stderr } = await cli.run(["export", "--all", "--json"]);
    expect({ code, stderr }).toEqual({ code: 14, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      exports: [
        { sessionId: "t", unreadable: [] },
        { sessionId: "s", unreadable },
      ],
    });
    expect(globSync("exports/*", { cwd: cli.dataDir }).length).toBe(3);
  });

  it.each([[[]], [["s", "--all"]], [["--all", "--output", "-"]]])("refuses %j", async (args) => {
    expect(await cli.run(["export", ...args])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^INVALID_INPUT: .*\n {2}/u),
    });
  });

  it("refuses a missing session", async () => {
    expect(await cli.run(["export", "none"])).toMatchObject({ code: 10, stdout: "" });
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openWorkrail } from "@workrail/runtime";
import { beforeEach, describe, expect, it } from "vitest";
import { IS_LONG } from "../../../../packages/storage-conformance/test/long-form.ts";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();

/** Number of checkpoints that are imported, and numbers of their files after which the import is killed. */
const [SAVES, KILLS] = IS_LONG ? [60, [1, 20, 40]] : [24, [12]];

describe("workrail import", () => {
  let elsewhere: readonly string[];

  beforeEach(async () => {
    elsewhere = ["--data-dir", join(cli.folder, "elsewhere")];
    await cli.save({ n: 1, "\n": null }, "--session", "s", "--id", "cp-1", "--name", "first");
    await cli.save({ n: 2 }, "--session", "s", "--id", "cp-2", "--tag", "t");
    await cli.save({ n: 1 }, "--session", "t", "--id", "cp-3");
    await cli.output(["export", "s", "--output", "s.json"]);
  });

  it("imports a session into an empty store, and exports it again byte for byte", async () => {
    expect(await cli.run(["import", "s.json", ...elsewhere])).toEqual({
      code: 0,
      stdout: "s\n",
      stderr: `${join(cli.project, "s.json")}: session s, checkpoints: added 2.\n`,
    });
    const text = await cli.output(["export", "s", "--output", "-", ...elsewhere]);
    expect(text).toBe(readFileSync(join(cli.project, "s.json"), "utf8"));
    expect(await cli.output(["load", "cp-1", ...elsewhere])).toBe('{"n":1,"\\n":null}');
  });

  it("reads standard input and a named pipe", async () => {
    const piped = await cli.shell(`workrail export s --output - | workrail import - ${elsewhere.join(" ")}`);
    expect(piped).toEqual({ code: 0, stdout: "s\n", stderr: "Standard input: session s, checkpoints: added 2.\n" });
    expect(await cli.output(["export", "s", "--output", "-", ...elsewhere])).toBe(readFileSync(join(cli.project, "s.json"), "utf8"));
    const nothing = await cli.run(["import", "-", ...elsewhere], { input: new Uint8Array([0x7b, 0xff]) });
    expect(nothing).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/^INVALID_INPUT: .*not UTF-8/u) as string });
    if (process.platform === "win32") return;
    const named = await cli.shell(`mkfifo pipe; cat s.json > pipe & workrail import pipe --json ${elsewhere.join(" ")}`);
    expect(JSON.parse(named.stdout)).toMatchObject({ imports: [{ file: join(cli.project, "pipe"), added: 0, present: 2 }] });
  });

  it("names the checkpoint that holds a possible secret", async () => {
    const token = ["ghp", "abcdefghijklmnopqrstuvwxyz0123456789"].join("_");
    await cli.save({ k: token }, "--session", "u", "--id", "cp-4");
    await cli.output(["export", "u", "--output", "u.json"]);
    const { stderr } = await cli.run(["import", "u.json", "--secrets", "redact", ...elsewhere]);
    expect(stderr).toContain('Replaced, because it looks like a secret: github-token at context["k"] of cp-4.');
  });

  it("imports folders and several files", async () => {
    await cli.output(["export", "--all", "--output", "all"]);
    const { imports } = await cli.json<{ imports: object[] }>(["import", "s.json", "all", ...elsewhere]);
    expect(imports).toMatchObject([
      { sessionId: "s", exportedSessionId: "s", checkpoints: 2, added: 2, present: 0, leftOut: 0, dryRun: false },
      { sessionId: "s", added: 0, present: 2 },
      { sessionId: "t", added: 1 },
    ]);
  });

  it("skips existing checkpoints, keeps the newer state, or imports under new ids", async () => {
    await cli.save({ n: "mine" }, "--session", "s");
    const { stderr } = await cli.run(["import", "s.json"]);
    expect(stderr).toContain("session s, checkpoints: added 0, already present 2.");
    expect(await cli.output(["load", "--session", "s"])).toBe('{"n":"mine"}');
    expect(await cli.json(["import", "s.json", "--on-conflict", "newer"])).toMatchObject({ imports: [{ added: 0, present: 2 }] });
    const renamed = (await cli.output(["import", "s.json", "--on-conflict", "rename"])).trim();
    expect(renamed).toMatch(/^[0-9a-f-]{36}$/u);
    expect(await cli.output(["load", "--session", renamed])).toBe('{"n":2}');
  });

  it("changes nothing in a dry run", async () => {
    const { stdout, stderr } = await cli.run(["import", "s.json", "--dry-run", ...elsewhere]);
    expect({ stdout, stderr }).toEqual({ stdout: "s\n", stderr: expect.stringContaining("to add 2.") });
    expect(await cli.run(["load", "--session", "s", ...elsewhere])).toMatchObject({ code: 10 });
  });

  it("refuses a damaged file, names the place, and keeps files imported before it", async () => {
    cli.write("bad.json", readFileSync(join(cli.project, "s.json"), "utf8").replace('"n": 2', '"n": 3'));
    cli.write("newer.json", '{"format":"workrail-session","version":9}');
    expect(await cli.run(["import", "bad.json", ...elsewhere])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(
        /^INVALID_INPUT: .+bad\.json: In checkpoints\[1\], line \d+: Its context does not match its sha256\.\n {2}/u,
      ),
    });
    expect(await cli.run(["import", "newer.json", ...elsewhere])).toMatchObject({ code: 17, stdout: "" });
    expect(await cli.run(["import", "s.json", "none.json", ...elsewhere])).toMatchObject({ code: 2, stdout: "s\n" });
    expect(await cli.run(["import", ...elsewhere])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("missing required argument"),
    });
    expect(await cli.run(["import", ".", ...elsewhere])).toMatchObject({ code: 2, stdout: "" });
    expect(await cli.run(["import", "s.json", "--on-conflict", "x"])).toMatchObject({ code: 2 });
  });

  it("refuses a path that the system refuses, and skips such a file in a folder", async () => {
    symlinkSync("round.json", join(cli.project, "round.json"));
    for (const path of ["round.json", "x".repeat(300)]) {
      expect(await cli.run(["import", path, ...elsewhere])).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^INVALID_INPUT: .* cannot be read: /u) as string,
      });
    }
    expect(await cli.output(["import", ".", ...elsewhere])).toBe("s\n");
  });

  it("leaves whole checkpoints when killed at any moment, and completes in a repeated run", async () => {
    const store = await openWorkrail({ dataDir: cli.dataDir });
    for (let n = 0; n < SAVES; n++) await store.saveCheckpoint({ sessionId: "long", context: { n, text: "x".repeat(2_000) } });
    await store.close();
    await cli.output(["export", "long", "--output", "long.json"]);
    const files = (): readonly string[] => globSync("contexts/long/*.json.gz", { cwd: elsewhere[1] });
    for (const enough of KILLS) {
      const args = [cli.launcher, "import", "long.json", ...elsewhere];
      const child = spawn(process.execPath, args, { cwd: cli.project, env: cli.env, stdio: "ignore" });
      const ended = once(child, "exit");
      while (files().length < enough && child.exitCode === null) await pause(1);
      child.kill("SIGKILL");
      await ended;
      const listed = await cli.json<{ checkpoints: { id: string }[]; total: number }>([
        "list",
        "--session",
        "long",
        "--limit",
        "100",
        ...elsewhere,
      ]);
      expect(listed.total).toBeGreaterThanOrEqual(enough - 1);
      // Exporting proves that the imported checkpoints are intact.
      expect(listed.total === 0 ? 0 : (await cli.run(["export", "long", "--output", "-", ...elsewhere])).code).toBe(0);
    }
    await cli.output(["import", "long.json", ...elsewhere]);
    const text = await cli.output(["export", "long", "--output", "-", ...elsewhere]);
    expect(text).toBe(readFileSync(join(cli.project, "long.json"), "utf8"));
  });
});

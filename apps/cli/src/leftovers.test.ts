import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { useCli } from "./testing/use-cli.ts";

/** Makes a process send itself a signal before its restore is committed, and before its rebuild is in place. */
function signalled(signal: NodeJS.Signals): Readonly<Record<string, string>> {
  const hook = `
    import fs from "node:fs";
    const { renameSync } = fs;
    fs.renameSync = (from, to) => {
      if (/restoring$/.test(String(to)) || /workrail\\.db\\.new$/.test(String(from))) process.kill(process.pid, "${signal}");
      return renameSync(from, to);
    };
  `;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` };
}

const cli = useCli();

function leftovers(): readonly string[] {
  return readdirSync(cli.dataDir).filter((name) => /^(?:\.tmp-restore-|workrail\.db\.new)/u.test(name));
}

beforeEach(async () => {
  await cli.save({ step: 1 }, "--session", "work");
  await cli.output(["backup", "copy"]);
});

describe.skipIf(process.platform === "win32")(
  "leftovers of a killed restore and a killed rebuild (not on Windows, where SIGKILL is another thing)",
  () => {
    async function killBoth(): Promise<void> {
      // The rebuild first: opening the store for the restore would remove the leftovers of the rebuild.
      expect((await cli.spawn(["restore", "copy", "--yes"], { env: signalled("SIGKILL") })).code).toBe(null);
      expect(leftovers()).toEqual([expect.stringMatching(/^\.tmp-restore-/u)]);
    }

    it("are named by verify without writing, and removed by the next opening", async () => {
      await killBoth();
      const verified = await cli.run(["verify", "--read-only"]);
      expect([verified.code, verified.stdout]).toEqual([14, expect.stringMatching(/leftover {2}\.tmp-restore-/u)]);
      expect(leftovers()).toHaveLength(1);
      const listed = await cli.run(["list"]);
      expect([listed.code, listed.stderr]).toEqual([0, expect.stringContaining("a killed restore or rebuild left: .tmp-restore-")]);
      expect(leftovers()).toEqual([]);
      expect((await cli.run(["verify"])).code).toBe(0);
    });

    it("are removed by repair, also leftovers of a rebuild", async () => {
      expect((await cli.spawn(["rebuild"], { env: signalled("SIGKILL") })).code).toBe(null);
      expect(leftovers()).toContain("workrail.db.new");
      const repaired = await cli.run(["repair"]);
      expect([repaired.code, repaired.stderr]).toEqual([0, expect.stringContaining("workrail.db.new")]);
      expect(leftovers()).toEqual([]);
      expect(JSON.parse(await cli.output(["load", "--session", "work"]))).toEqual({ step: 1 });
    });

    it("are named by doctor", async () => {
      await killBoth();
      const { stdout } = await cli.run(["doctor"]);
      expect(stdout).toContain("a killed restore or rebuild left: .tmp-restore-");
      expect(leftovers()).toEqual([]);
    });

    it("are left alone while their process lives", async () => {
      const args = [cli.launcher, "restore", "copy", "--yes"];
      const child = spawn(process.execPath, args, { cwd: cli.project, env: { ...cli.env, ...signalled("SIGSTOP") }, stdio: "ignore" });
      const ended = once(child, "exit");
      await vi.waitFor(() => expect(leftovers()).toHaveLength(1), { timeout: 120_000, interval: 20 });
      expect((await cli.run(["list"], { env: { WORKRAIL_LOCK_TIMEOUT_MS: "300" } })).code).toBe(11);
      expect(leftovers()).toHaveLength(1);
      const goOn = setInterval(() => child.kill("SIGCONT"), 50);
      expect(await ended).toEqual([0, null]);
      clearInterval(goOn);
      expect(leftovers()).toEqual([]);
      expect(JSON.parse(await cli.output(["load", "--session", "work"]))).toEqual({ step: 1 });
    });

    it("are removed by the next opening when the restore was to a new place", async () => {
      const place = join(cli.folder, "parent", "new");
      mkdirSync(join(cli.folder, "parent"));
      const hook = signalled("SIGKILL")["NODE_OPTIONS"]?.replace("restoring%24", "new%24") ?? "";
      expect((await cli.spawn(["restore", join(cli.project, "copy"), "--data-dir", place], { env: { NODE_OPTIONS: hook } })).code).toBe(
        null,
      );
      const beside = (): readonly string[] => readdirSync(join(cli.folder, "parent")).filter((name) => name.startsWith(".tmp-restore-"));
      expect(beside()).toHaveLength(1);
      expect(existsSync(place)).toBe(false);
      await cli.run(["save", "--data-dir", place], { input: "{}" });
      expect(beside()).toEqual([]);
    });
  },
);

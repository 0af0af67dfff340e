import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();

describe("workrail rebuild", () => {
  beforeEach(async () => {
    await cli.save({ a: 1 }, "--session", "s", "--id", "cp-1", "--name", "first");
    await cli.save({ a: 2 }, "--session", "s", "--id", "cp-2");
    await cli.save({ b: 1 }, "--session", "t", "--id", "cp-3");
  });

  it("reports its findings", async () => {
    const { code, stdout, stderr } = await cli.run(["rebuild"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatchInlineSnapshot(`
      "Checkpoints found: 3, in sessions: 2.
      Not rebuilt, because no file contains them: the audit log, access times.
      "
    `);
  });

  it("reports as JSON", async () => {
    expect(await cli.json(["rebuild"])).toEqual({
      checkpoints: 3,
      sessions: 2,
      removedEarlier: 0,
      unreadable: [],
      notRebuilt: ["the audit log", "access times"],
    });
  });

  it("leaves the checkpoints unchanged", async () => {
    const before = await cli.output(["show", "cp-1"]);
    await cli.output(["rebuild"]);
    const withoutAccess = (text: string): string => text.replace(/lastAccessedAt.*/u, "");
    expect(withoutAccess(await cli.output(["show", "cp-1"]))).toBe(withoutAccess(before));
    expect(await cli.output(["load", "--session", "s"])).toBe('{"a":2}');
  });

  it("lists unreadable files, and exits with code 14", async () => {
    writeFileSync(join(cli.dataDir, "contexts/s/cp-1.json.gz"), "not gzip");
    const { code, stdout } = await cli.run(["rebuild"]);
    expect(code).toBe(14);
    expect(stdout).toMatchInlineSnapshot(`
      "Checkpoints found: 2, in sessions: 2.
      Unreadable files, left in place: 1.
        CHECKPOINT_CORRUPT  contexts/s/cp-1.json.gz
      Not rebuilt, because no file contains them: the audit log, access times.
      "
    `);
    expect(await cli.output(["load", "--session", "s"])).toBe('{"a":2}');
  });

  it("runs in the first command after the loss of the database, and is reported", async () => {
    for (const file of globSync("workrail.db*", { cwd: cli.dataDir })) rmSync(join(cli.dataDir, file));
    const { stdout, stderr } = await cli.run(["load", "--session", "s"]);
    expect(stdout).toBe('{"a":2}');
    expect(stderr).toMatchInlineSnapshot(`
      "warning: the catalog was lost or damaged, and has been rebuilt from the files (checkpoints: 3, sessions: 2, removedEarlier: 0, unreadable: [], notRebuilt: ["the audit log","access times"])
      "
    `);
    for (const file of globSync("workrail.db*", { cwd: cli.dataDir })) rmSync(join(cli.dataDir, file));
    const inJson = await cli.run(["load", "--session", "s", "--json"]);
    expect(JSON.parse(inJson.stderr)).toMatchObject({ warning: { message: expect.any(String), details: { checkpoints: 3 } } });
  });

  it("replaces a damaged database, and keeps the old one", async () => {
    writeFileSync(join(cli.dataDir, "workrail.db"), "no database".repeat(1_000));
    expect(await cli.run(["rebuild"])).toMatchObject({ code: 0, stdout: expect.stringContaining("Checkpoints found: 3") });
    expect(await cli.output(["load", "--session", "s"])).toBe('{"a":2}');
    expect(readFileSync(join(cli.dataDir, "workrail.db.replaced-1"), "utf8")).toMatch(/^no database/u);
  });
});

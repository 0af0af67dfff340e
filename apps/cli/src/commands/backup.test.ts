import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();

describe("workrail backup and restore", () => {
  const backup = (): string => join(cli.folder, "backup");
  const file = (directory: string): string => join(directory, "contexts/s/cp-1.json.gz");

  beforeEach(async () => {
    await cli.save({ a: 1 }, "--session", "s", "--id", "cp-1");
  });

  it("copy a store to another place", async () => {
    const made = await cli.run(["backup", backup()]);
    expect({ ...made, stderr: made.stderr.replace(/\d+ B/u, "N B") }).toEqual({
      code: 0,
      stdout: `${backup()}\n`,
      stderr: "Backed up checkpoints: 1, in sessions: 1, in files of N B. All files were read back.\n",
    });
    const dataDir = join(cli.folder, "restored");
    const { code, stdout, stderr } = await cli.run(["restore", backup(), "--data-dir", dataDir]);
    expect({ code, stdout, stderr: cli.normal(stderr) }).toEqual({
      code: 0,
      stdout: `${dataDir}\n`,
      stderr: "Restored checkpoints: 1, in sessions: 1, as they were at 2026-01-31T12:00:00.000Z.\n",
    });
    expect(await cli.output(["load", "cp-1", "--data-dir", dataDir])).toBe('{"a":1}');
  });

  it("replace a store only with --yes, and print the old store's path", async () => {
    await cli.output(["backup", backup()]);
    await cli.save({ a: 2 }, "--session", "s");
    const refused = await cli.run(["restore", backup()]);
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("--yes") });
    const replaced = await cli.json<{ keptAside: string; checkpoints: number }>(["restore", backup(), "--yes"]);
    expect(replaced).toMatchObject({ checkpoints: 1, keptAside: join(cli.dataDir, "replaced-1") });
    expect(await cli.output(["load", "--session", "s"])).toBe('{"a":1}');
    expect(await cli.output(["load", "--session", "s", "--data-dir", replaced.keptAside])).toBe('{"a":2}');
    expect(await cli.run(["restore", backup(), "--yes"])).toMatchObject({ code: 0, stderr: expect.stringContaining("replaced-2") });
  });

  it("report damage", async () => {
    await cli.save({ a: 2 }, "--session", "s", "--id", "cp-2");
    writeFileSync(file(cli.dataDir), "not gzip");
    const made = await cli.run(["backup", backup()]);
    expect(made).toMatchObject({ code: 14, stderr: expect.stringContaining("CHECKPOINT_CORRUPT  cp-1 of session s\n") });
    const dataDir = join(cli.folder, "restored");
    const restored = await cli.run(["restore", backup(), "--data-dir", dataDir]);
    expect(restored).toMatchObject({ code: 14, stderr: expect.stringContaining("CHECKPOINT_CORRUPT  contexts/s/cp-1.json.gz\n") });
    expect(await cli.output(["load", "cp-2", "--data-dir", dataDir])).toBe('{"a":2}');

    writeFileSync(file(backup()), readFileSync(file(backup()), "utf8").toUpperCase());
    const other = join(cli.folder, "other");
    const { code, stderr } = await cli.run(["restore", backup(), "--data-dir", other, "--json"]);
    expect({ code, error: JSON.parse(stderr) as unknown }).toMatchObject({
      code: 14,
      error: { error: { code: "CHECKPOINT_CORRUPT", details: { count: 1, files: ["contexts/s/cp-1.json.gz"] } } },
    });
    expect(existsSync(other)).toBe(false);
  });
});

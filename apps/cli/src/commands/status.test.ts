import { cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();

describe("workrail status", () => {
  it("shows the contents of the store, the largest session first", async () => {
    await cli.save({ a: 1 }, "--session", "small");
    await cli.save({ a: "x".repeat(100), b: "abcdefghijklmnopqrstuvwxyz" }, "--session", "large");
    await cli.save({ a: 2 }, "--session", "large");
    await cli.output(["search", "abcdefghijklmnopqrstuvwxyz"]);
    const text = (await cli.output(["status"]))
      .replaceAll(/[\d.]+ (?:Ki)?B(?! of)/gu, "N B")
      .replaceAll(/\d+ B of/gu, "N B of")
      .replaceAll(/ +\d+s /gu, "  0s ");
    expect(text.replaceAll(cli.folder, "<folder>").replace(/disk, [a-z0-9:-]+/u, "disk, driver")).toBe(
      [
        "Store: <folder>/data (disk, driver).",
        "Checkpoints: 3, in sessions: 2, stored in N B.",
        "Quota: checkpoints and trash take N B of 10 GiB (0.0%).",
        "Search index: sessions: 2, stored in N B.",
        "Last clean-up: none is recorded.",
        "Last backup: none is recorded.",
        "",
        "LARGEST SESSIONS  AGE  CHECKPOINTS  QUOTA",
        "large  0s            2  N B of 1.0 GiB (0.0%)",
        "small  0s            1  N B of 1.0 GiB (0.0%)",
        "",
      ].join("\n"),
    );
  });

  it("shows the progress of the search index, and creates none", async () => {
    const index = join(cli.dataDir, "search.db");
    const search = async (): Promise<object> => (await cli.json<{ search: object }>(["status"])).search;
    await cli.save({ text: "apple" }, "--session", "a");
    await cli.output(["search", "apple"]);
    cpSync(index, join(cli.folder, "earlier.db"));
    expect(await search()).toEqual({ sessions: 1, pending: 0, bytes: expect.any(Number) as number });
    await cli.save({ text: "pear" }, "--session", "b");
    await cli.output(["search", "pear"]);
    cpSync(join(cli.folder, "earlier.db"), index);
    expect(await search()).toMatchObject({ sessions: 1, pending: 1 });
    rmSync(index);
    expect(await search()).toEqual({ sessions: 0, pending: 2, bytes: 0 });
    expect(existsSync(index)).toBe(false);
  });

  it("shows the last clean-up and backup, quarantine, trash and removals, even old ones", async () => {
    for (const session of ["a", "b"]) await cli.save({ session }, "--session", session, "--id", `cp-${session}`);
    writeFileSync(join(cli.dataDir, "contexts/b/cp-b.json.gz"), "not gzip");
    await cli.run(["load", "cp-b"]);
    await cli.output(["cleanup", "--session", "a", "--yes"]);
    await cli.output(["cleanup", "--yes"], { env: { WORKRAIL_TRASH_DAYS: "0" } });
    await cli.run(["backup", join(cli.folder, "copy")]);
    const status = await cli.json<{ lastCleanUp: { at: string }; lastBackupAt: string }>(["status"]);
    expect(status).toMatchObject({
      trashed: 0,
      quarantine: { files: 1, bytes: 8, places: [join(cli.dataDir, "quarantine/contexts/b/cp-b.json.gz")] },
      lastCleanUp: { trashed: 0, removed: 1, sessions: 1, reasons: ["trash-age"] },
    });
    const text = await cli.output(["status"]);
    expect(text).toContain(`\nLast clean-up: ${status.lastCleanUp.at}, sessions: 1, to the trash: 0, for good: 1 (trash-age).\n`);
    expect(text).toContain(`\nLast backup: ${status.lastBackupAt}.\n`);
    expect(text).toContain("\nIn quarantine: files: 1, of 8 B.\n  ");
  });

  it("warns of damage, and of quotas that are nearly full", async () => {
    await cli.save({ a: 1 }, "--session", "s", "--id", "cp-1");
    writeFileSync(join(cli.dataDir, "contexts/s/cp-1.json.gz"), "not gzip");
    await cli.run(["load", "cp-1"]);
    const env = { WORKRAIL_MAX_SESSION_BYTES: "240", WORKRAIL_MAX_TOTAL_BYTES: "240" };
    const status = await cli.json<{ warnings: string[]; damaged: number; quota: { share: number } }>(["status"], { env });
    expect(status.damaged).toBe(1);
    expect(status.quota.share).toBeGreaterThan(0.9);
    expect(status.warnings).toEqual([
      "Damaged checkpoints: 1. `workrail verify` names them.",
      "The store is nearly full: saves will be refused.",
      "Sessions that are nearly full: s.",
    ]);
    expect(await cli.output(["status"])).toContain("\nWarning: Damaged checkpoints: 1.");
  });
});

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("runs, and runs again over the saves of the first run", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "workrail-library-"));
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  try {
    for (let run = 1; run <= 2; run++) {
      const { status, stdout, stderr } = spawnSync(process.execPath, ["--conditions=@workrail/source", main], {
        env: { ...process.env, WORKRAIL_DATA_DIR: dataDir },
        encoding: "utf8",
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(stdout).toMatch(/^true changes collected \{\s+goal: 'Write the release notes',/u);
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const oldNode = findNodeOlderThan(22);

it.skipIf(oldNode === undefined)(
  "says on an older Node which one is needed (skipped where there is no Node older than 22 on the PATH)",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "workrail-node-"));
    try {
      const file = join(folder, "needs-node.mjs");
      writeFileSync(file, stripTypeScriptTypes(sourceOf("needs-node.ts")));
      const { status, stderr } = spawnSync(oldNode ?? "", [file], { encoding: "utf8" });
      expect(status).toBe(1);
      expect(stderr).toMatch(/^Error: Workrail needs Node 22 or newer; this is Node \d+\.\d+\.\d+\.$/mu);
      expect(spawnSync(process.execPath, [file], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

it("is loaded before anything else of the package", () => {
  expect(sourceOf("index.ts").split("\n")[0]).toBe('import "./needs-node.ts";');
});

function sourceOf(name: string): string {
  return readFileSync(fileURLToPath(new URL(name, import.meta.url)), "utf8");
}

function findNodeOlderThan(major: number): string | undefined {
  const name = process.platform === "win32" ? "node.exe" : "node";
  const places = (process.env["PATH"] ?? "").split(delimiter).map((place) => join(place, name));
  return places.find((file) => {
    return existsSync(file) && Number.parseInt(execFileSync(file, ["--version"], { encoding: "utf8" }).slice(1), 10) < major;
  });
}

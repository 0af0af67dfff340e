import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const temporary = mkdtempSync(path.join(tmpdir(), "workrail-import-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** Runs a program against the built packages, and returns the files that it loaded. */
async function filesLoadedBy(program: string): Promise<readonly string[]> {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load(url, context, next) { if (url.startsWith("file:")) loaded.push(url); return next(url, context); } });
    const { openWorkrail } = await import("@workrail/runtime");
    ${program}
    console.log(JSON.stringify(loaded));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], { cwd: HERE });
  return JSON.parse(stdout) as readonly string[];
}

function partsIn(files: readonly string[], names: readonly string[]): readonly string[] {
  return names.filter((name) => files.some((file) => file.includes(`/${name}/`)));
}

describe("the built library", () => {
  it("loads a few files when it is imported, and nothing that opens a store", async () => {
    const files = await filesLoadedBy("");
    expect(files.length).toBeLessThanOrEqual(25);
    expect(partsIn(files, ["core", "sqlite-fs", "views", "search", "tsyringe", "keychain-crypto", "host-transcripts"])).toEqual(["core"]);
  });

  it("opens a store without loading views, transcripts of hosts, imports and native keychains", async () => {
    const dataDir = path.join(temporary, "store");
    const files = await filesLoadedBy(
      `const store = await openWorkrail({ dataDir: ${JSON.stringify(dataDir)}, env: {}, upkeep: false }); await store.close();`,
    );
    expect(files.length).toBeLessThanOrEqual(110);
    expect(partsIn(files, ["sqlite-fs", "transfer", "files-catalog", "memory", "@napi-rs"])).toEqual(["sqlite-fs"]);
    expect(files.filter((file) => file.endsWith("/views/dist/index.js"))).toEqual([]);
  });
});

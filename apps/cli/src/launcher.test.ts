import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { delimiter, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { useCli } from "./testing/use-cli.ts";

/** Matches `require("a")`, `createRequire(import.meta.url)("a")` and `import("a")` of anything but relative paths. */
const LOADED_BY_NAME = /\b(?:require|import|createRequire\(import\.meta\.url\))\(["'`]([^.][^"'`]*)["'`]\)/gu;

const cli = useCli();
const oldNode = findNodeOlderThan(22);

describe("the bundle", () => {
  it("consists of a launcher, the program, and the files of the store", () => {
    const files = programFiles();
    expect(files).toEqual(expect.arrayContaining(["workrail.mjs", "cli.mjs", "opening.mjs"]));
    expect(readFileSync(cli.launcher, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/u);
    const imported = files
      .filter((file) => file !== "workrail.mjs")
      .flatMap((file) => importsOf(readFileSync(join(cli.dist, file), "utf8")));
    // Importing a built-in module loads more than is used of it; any other module is not installed.
    expect(imported.filter((name) => !name.startsWith("./"))).toEqual([]);
    const program = files.filter((file) => file !== "workrail.mjs").map((file) => readFileSync(join(cli.dist, file), "utf8"));
    expect(program.join("")).toContain('process.getBuiltinModule("node:fs")');
    // `workrail ui` alone starts another program.
    const starting = program.filter((text) => /getBuiltinModule\("node:(?:process|child_process)"\)/u.test(text));
    expect(starting.map((text) => text.includes("xdg-open"))).toEqual([true]);
    // One non-ASCII letter doubles the memory of a file.
    expect(program.filter((text) => /[^\0-\x7f]/u.test(text))).toEqual([]);
  });

  it("declares a dependency on every package that it loads on demand", () => {
    const program = programFiles().map((file) => readFileSync(join(cli.dist, file), "utf8"));
    const named = program.flatMap((text) => Array.from(text.matchAll(LOADED_BY_NAME), ([, name = ""]) => name));
    const packages = named.filter((name) => !isBuiltin(name)).map((name) => /^(?:@[^/]+\/)?[^/]+/u.exec(name)?.[0]);
    // The installation must succeed where this optional package is not available.
    expect([...new Set(packages)]).toEqual(["@napi-rs/keyring"]);
    expect(Object.keys(manifest.optionalDependencies)).toEqual(["@napi-rs/keyring"]);
    expect(manifest).not.toHaveProperty("dependencies");
  });

  it("brings along the SQLite driver for every platform, the tokenizer, and their licences", async () => {
    const binaries = readdirSync(join(cli.dist, "prebuilds"));
    expect(binaries.filter((name) => /^(?:darwin|linux|linuxmusl|win32)-(?:arm64|x64)\.node$/u.test(name))).toHaveLength(8);
    expect(await cli.spawn(["doctor"])).toMatchObject({ stdout: expect.stringContaining("better-sqlite3 can be loaded.") as string });
    expect(await cli.save({ a: "some words to count" }, "--session", "s")).toBeTruthy();
    expect(await cli.spawn(["stats"])).toMatchObject({ code: 0 });
    enlarge(join(cli.dataDir, "workrail.db"));
    // A thread of the program loads the driver too, to check a large catalog.
    expect(await cli.spawn(["verify"])).toMatchObject({ code: 0 });
    const licences = readFileSync(join(cli.dist, "THIRD_PARTY_LICENSES.txt"), "utf8");
    for (const name of ["better-sqlite3", "tiktoken", "commander", "zod"]) expect(licences).toContain(`\n${name} `);
  });

  it("stays small enough to be fetched by npx: sizes in bytes", () => {
    const sizeOf = (files: readonly string[]): number => files.reduce((sum, file) => sum + statSync(join(cli.dist, file)).size, 0);
    const everything = readdirSync(cli.dist, { recursive: true, encoding: "utf8" });
    expect(sizeOf(programFiles())).toBeLessThan(4_100_000);
    expect(sizeOf(everything.filter((file) => statSync(join(cli.dist, file)).isFile()))).toBeLessThan(25_000_000);
  });

  it("does not load slow modules for a list that does not need them", async () => {
    await cli.save({ a: 1 });
    const note = join(cli.folder, "note.cjs");
    writeFileSync(note, 'process.once("exit", () => require("node:fs").writeSync(2, process.moduleLoadList.join("\\n")));');
    const { stdout, stderr } = await cli.spawn(["list", "--json"], { env: { NODE_OPTIONS: `--require "${note}"` } });
    expect(stdout).toContain('"total":1');
    const loaded = stderr.split("\n");
    expect(loaded).toContain("NativeModule fs");
    for (const name of ["crypto", "zlib", "perf_hooks", "worker_threads"]) expect(loaded).not.toContain(`NativeModule ${name}`);
  });

  it.each([
    [["save", "--session", "s"], false],
    [["load", "--session", "s"], false],
    [["list"], false],
    [["list", "--all-projects"], false],
    [["list", "--session", "s", "--limit", "1"], false],
    [["list", "--tag", "a"], false],
    [["list", "--query", "a", "--limit", "1"], false],
    [["list", "--name", "a"], false],
    [["list", "--kind", "aside"], false],
    [["resume"], false],
    // Two filters, as a proof that the test can find the file.
    [["list", "--name", "a", "--tag", "a"], true],
  ])("loads the query builder only for SQL that is not built in advance: %j", async (args, isLoaded) => {
    await cli.save({ a: 1 });
    const spy = `import { writeSync } from "node:fs"; import { registerHooks } from "node:module"; registerHooks({ load(url, context, next) { writeSync(2, url + "\\n"); return next(url, context); } });`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(spy)}`;
    const { stderr } = await cli.spawn(args, { input: '{"a":2}', env: { NODE_OPTIONS } });
    expect(stderr).toContain("opening.mjs");
    expect(stderr.includes("build-statement.mjs")).toBe(isLoaded);
  });

  it.skipIf(oldNode === undefined)("reports in one line that Node is too old (skipped when there is no Node older than 22)", () => {
    const { status, stdout, stderr } = spawnSync(oldNode ?? "", [cli.launcher, "--version"], { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^workrail needs Node 22 or newer; this is Node \d+\.\d+\.\d+\.\n$/u);
  });

  it.skipIf(oldNode === undefined)(
    "does not stop the host when its hooks run on a Node that is too old (skipped when there is no such Node)",
    () => {
      const { status, stdout } = spawnSync(oldNode ?? "", [cli.launcher, "hook", "stop", "--host", "codex"], {
        encoding: "utf8",
        input: "{}",
      });
      expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    },
  );
});

/** Adds a megabyte of unused pages to a database. */
function enlarge(file: string): void {
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE filler AS SELECT zeroblob(1048576) AS bytes; DROP TABLE filler");
  database.close();
}

/** The program's own code, without the packages that it brings along. */
function programFiles(): readonly string[] {
  return readdirSync(cli.dist).filter((name) => /\.[cm]js$/u.test(name));
}

/** The modules that load before a module runs. A text inside may contain imports of another program. */
function importsOf(source: string): readonly string[] {
  const [imports = ""] = /^(?:import\b[^;]*;\s*)*/u.exec(source) ?? [];
  return Array.from(imports.matchAll(/(?:^|;)import\b[^"'`;]*"([^"]+)";/gmu), ([, name = ""]) => name);
}

function findNodeOlderThan(major: number): string | undefined {
  const name = process.platform === "win32" ? "node.exe" : "node";
  const places = (process.env["PATH"] ?? "").split(delimiter).map((place) => join(place, name));
  return places.find((file) => {
    if (!existsSync(file)) return false;
    const version = execFileSync(file, ["--version"], { encoding: "utf8" });
    return Number.parseInt(version.slice(1), 10) < major;
  });
}

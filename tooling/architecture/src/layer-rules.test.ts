import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "./workspace.ts";

/** Files that break a layer rule, each with words of the lint message. */
const FORBIDDEN: readonly (readonly [file: string, imported: string, message: string])[] = [
  ["packages/core/src/model/x.ts", "node:fs", "The model imports neither ports nor use cases"],
  ["packages/core/src/model/x.ts", "../ports/catalog.ts", "The model imports neither ports nor use cases"],
  ["packages/core/src/ports/x.ts", "../use-cases/save-checkpoint.ts", "A port uses only types of the model and of rows"],
  ["packages/core/src/use-cases/x.ts", "zod", "Core depends on nothing"],
  ["packages/core/src/use-cases/x.ts", "@workrail/memory", "Core depends on nothing"],
  ["packages/core/src/x.test.ts", "@workrail/memory", "Core depends on nothing"],
  ["packages/memory/src/x.ts", "@workrail/sqlite-fs", "Adapters import core and their driver"],
  ["packages/wrappers/src/x.ts", "@workrail/files-catalog", "Adapters import core and their driver"],
  ["packages/kv-storage/src/x.ts", "@workrail/memory", "Adapters import core and their driver"],
  ["packages/postgres/src/x.ts", "@workrail/sqlite-fs", "Adapters import core and their driver"],
  ["packages/blob-files/src/x.ts", "@workrail/sqlite-fs", "below the file adapters"],
  ["packages/blobs-s3/src/x.ts", "@workrail/sqlite-fs", "Adapters import core and their driver"],
  ["packages/blob-files/src/x.ts", "better-sqlite3", "below the file adapters"],
  ["packages/memory/src/x.ts", "@workrail/blob-files", "Adapters import core and their driver"],
  ["packages/files-catalog/src/x.ts", "@workrail/sqlite-fs", "Adapters import core and their driver"],
  ["packages/files-catalog/src/x.ts", "@workrail/memory", "Adapters import core and their driver"],
  ["packages/sqlite-fs/src/x.ts", "@workrail/files-catalog", "Adapters import core and their driver"],
  ["packages/sqlite-fs/src/x.ts", "@workrail/codecs", "Adapters import core and their driver"],
  ["packages/sqlite-fs/src/x.ts", "@workrail/runtime", "Adapters import core and their driver"],
  ["packages/sqlite-fs/src/x.ts", "@workrail/storage-conformance", "Adapters import core and their driver"],
  ["packages/sqlite-fs/src/x.ts", "tsyringe", "Only packages/runtime imports the container"],
  ["packages/search/src/x.ts", "@workrail/search-minisearch", "below the index adapters"],
  ["packages/search-minisearch/src/x.ts", "@workrail/sqlite-fs", "Adapters import core and their driver"],
  ["packages/classifier/src/x.ts", "@workrail/runtime", "Adapters import core and their driver"],
  ["packages/views/src/x.ts", "@workrail/classifier", "Adapters import core and their driver"],
  ["packages/transfer/src/x.ts", "@workrail/views", "Adapters import core and their driver"],
  ["packages/secrets/src/x.ts", "@workrail/sqlite-fs", "Adapters import core and their driver"],
  ["packages/http-condenser/src/x.ts", "@workrail/runtime", "Adapters import core and their driver"],
  ["packages/http-embedder/src/x.ts", "@workrail/http-condenser", "Adapters import core and their driver"],
  ["packages/http-endpoint/src/x.ts", "@workrail/http-embedder", "below the adapters that call an endpoint"],
  ["packages/transcripts/src/x.ts", "@workrail/sqlite-fs", "Adapters import core and their driver"],
  ["packages/runtime/src/x.ts", "@workrail/mcp-server", "Runtime assembles core and adapters"],
  ["packages/ai-sdk/src/x.ts", "@workrail/views", "A package for a framework imports only the library"],
  ["apps/cli/src/x.ts", "@workrail/sqlite-fs", "Apps import runtime and core only"],
  ["apps/cli/src/x.ts", "better-sqlite3", "Apps import runtime and core only"],
  ["apps/mcp-server/src/x.ts", "tsyringe", "Only packages/runtime imports the container"],
  ["apps/mcp-server/src/x.ts", "@workrail/cli/run-cli", "Apps import runtime and core only"],
  ["apps/cli/src/x.ts", "@workrail/faults", "Apps import runtime and core only"],
  ["apps/cli/src/commands/x.ts", "@workrail/schemas", "Apps import runtime and core only"],
  ["apps/mcp-server/src/tools/x.ts", "@workrail/timeline", "Apps import runtime and core only"],
  ["apps/cli/src/commands/x.ts", "@workrail/timeline", "Apps import runtime and core only"],
  ["packages/timeline/src/data/x.ts", "@workrail/views", "The timeline page and its data import only the library"],
  ["apps/mcp-server/src/launcher.ts", "@workrail/sqlite-fs", "Apps import runtime and core only"],
];

const ALLOWED: readonly (readonly [file: string, imported: string])[] = [
  ["packages/core/src/ports/x.ts", "../model/ids.ts"],
  ["packages/core/src/ports/x.ts", "../errors.ts"],
  ["packages/core/src/use-cases/x.ts", "../ports/catalog.ts"],
  ["packages/core/src/x.test.ts", "vitest"],
  ["packages/memory/src/x.ts", "@workrail/core"],
  ["packages/memory/src/x.test.ts", "@workrail/storage-conformance"],
  ["packages/memory/src/x.test.ts", "@workrail/storage-conformance/builders"],
  ["packages/blob-files/src/x.ts", "@workrail/core"],
  ["packages/http-embedder/src/x.ts", "@workrail/http-endpoint"],
  ["packages/files-catalog/src/x.ts", "@workrail/blob-files"],
  ["packages/files-catalog/src/x.ts", "@workrail/wrappers"],
  ["packages/sqlite-fs/src/x.ts", "node:fs/promises"],
  ["packages/sqlite-fs/src/x.ts", "@workrail/blob-files"],
  ["packages/sqlite-fs/src/x.ts", "@workrail/search"],
  ["packages/sqlite-fs/src/x.ts", "@workrail/wrappers"],
  ["packages/search-minisearch/src/x.ts", "@workrail/search"],
  ["packages/transcripts/src/x.ts", "@workrail/blob-files"],
  ["packages/runtime/src/x.ts", "tsyringe"],
  ["packages/runtime/src/x.ts", "@workrail/sqlite-fs"],
  ["packages/runtime/src/x.ts", "@workrail/blob-files"],
  ["packages/runtime/src/x.ts", "@workrail/files-catalog"],
  ["apps/cli/src/x.ts", "@workrail/runtime"],
  ["apps/cli/src/x.ts", "@workrail/process"],
  ["apps/mcp-server/src/command-line.ts", "@workrail/cli/run-cli"],
  ["apps/mcp-server/src/x.test.ts", "@workrail/faults"],
  ["apps/mcp-server/src/tools/x.ts", "@workrail/schemas"],
  ["apps/cli/src/json/x.ts", "@workrail/schemas"],
  ["apps/cli/src/ui/x.ts", "@workrail/timeline"],
  ["apps/mcp-server/src/app/x.ts", "@workrail/timeline/tool"],
];

describe("the linter's layer rules", () => {
  let faults: ReadonlyMap<string, string>;

  beforeAll(() => {
    faults = lint([...FORBIDDEN, ...ALLOWED]);
  });

  it.each(FORBIDDEN)("refuse that %s imports %s", (file, imported, message) => {
    expect(faults.get(keyOf(file, imported))).toContain(message);
  });

  it.each(ALLOWED)("let %s import %s", (file, imported) => {
    expect(faults.has(keyOf(file, imported))).toBe(false);
  });
});

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
  readonly message: string;
  readonly help?: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

/** Lints all imports in one run, each in a line of its file. Returns the messages of refused imports. */
function lint(imports: readonly (readonly [file: string, imported: string, ...unknown[]])[]): ReadonlyMap<string, string> {
  const root = mkdtempSync(join(tmpdir(), "workrail-layers-"));
  try {
    const config = JSON.parse(readFileSync(join(ROOT, ".oxlintrc.json"), "utf8")) as object;
    // These rules need no types, and the type checker is not available from the temporary folder.
    writeFileSync(join(root, ".oxlintrc.json"), JSON.stringify({ ...config, $schema: undefined, options: {} }));
    const files = Map.groupBy(imports, ([file]) => file);
    for (const [file, lines] of files) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), lines.map(([, imported]) => `import "${imported}";\n`).join(""));
    }
    const args = [join(ROOT, "node_modules/oxlint/bin/oxlint"), "--format", "json", "."];
    const { stdout, error } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
    if (error) throw error;
    const { diagnostics, number_of_files: count } = JSON.parse(stdout) as { diagnostics: readonly Diagnostic[]; number_of_files: number };
    if (count !== files.size) throw new Error(`The linter read ${count} of ${files.size} files.`);
    const refusals = diagnostics.filter(({ code }) => code.includes("no-restricted-imports"));
    return new Map(
      refusals.map(({ filename, labels, message, help }) => {
        const file = filename.replaceAll("\\", "/");
        const imported = files.get(file)?.[(labels[0]?.span.line ?? 0) - 1]?.[1];
        return [keyOf(file, String(imported)), `${message} ${help}`] as const;
      }),
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function keyOf(file: string, imported: string): string {
  return `${file} imports ${imported}`;
}

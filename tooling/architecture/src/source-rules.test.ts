import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./workspace.ts";

const sources = filesLike("{packages,apps,tooling,examples}/*/src/**/*.ts");

/**
 * Files whose relative imports may lead into other packages: tools, which examine sources that no package exports; core's tests, which use
 * builders of the conformance kit, the default parts and a store in memory, since these depend on core; tests of transfer and of reports, which use that store;
 * those of wrappers, which apply rules; tests that use an adapter's or an example's inside; those of examples, which start the bundled
 * server; and tests of properties, which share two files that no package exports.
 */
const MAY_REACH: readonly (readonly [from: RegExp, into: string])[] = [
  [/^tooling\//, ""],
  [/^packages\/core\/(?:src\/.*\.test\.ts|test\/[^/]+)$/, "packages/storage-conformance/src/builders.ts"],
  [/^packages\/core\/src\/.*\.test\.ts$/, "packages/classifier/src/word-classifier.ts"],
  [/^packages\/wrappers\/src\/.*\.test\.ts$/, "packages/core/src/catalog/"],
  [/^packages\/wrappers\/src\/.*\.test\.ts$/, "packages/core/test/"],
  [/^packages\/(?:core\/src\/use-cases|runtime\/src\/reports|search|transfer\/src)\/.*\.test\.ts$/, "packages/memory/src/"],
  [/^packages\/(?:http-[a-z]+\/src|runtime\/test)\/.*\.test\.ts$/, "packages/http-endpoint/src/testing/"],
  [/^packages\/runtime\/test\/sealed-stores\.ts$/, "packages/sqlite-fs/src/"],
  [/^packages\/runtime\/test\/sealed-[a-z-]*harness\.ts$/, "packages/sqlite-fs/test/harness-over.ts"],
  [/^packages\/storage-conformance\/test\//, "examples/"],
  [/^examples\/.*\.test\.ts$/, "apps/mcp-server/src/testing/bundle.ts"],
  [/\.test\.ts$/, "packages/storage-conformance/test/any-character.ts"],
  [/(?:\.test|\/testing\/[^/]+)\.ts$/, "packages/storage-conformance/test/long-form.ts"],
];

/** Rules that the linter does not have. */
describe("sources", () => {
  it("re-export by name, never everything", () => {
    expect(sources.filter((path) => /^export \*/m.test(readFileSync(join(ROOT, path), "utf8")))).toEqual([]);
  });

  it("are named after their content, not after their kind", () => {
    const vague = /\/(utils?|helpers?|common|types|misc|shared)\.ts$/;
    expect(sources.filter((path) => vague.test(path))).toEqual([]);
  });

  it("import other packages by their names, not by a relative path", () => {
    const files = filesLike("{packages,apps,tooling,examples}/*/{src,test}/**/*.{ts,mjs}", "{packages,apps}/*/*.ts");
    expect(files.flatMap((path) => pathsOut(path).map((target) => `${path} -> ${target}`))).toEqual([]);
  });
});

function filesLike(...patterns: readonly string[]): readonly string[] {
  return globSync([...patterns], { cwd: ROOT }).map((path) => path.replaceAll("\\", "/"));
}

/** Returns the modules of other packages that a file reaches by a relative path, unless it may. */
function pathsOut(path: string): readonly string[] {
  const code = readFileSync(join(ROOT, path), "utf8");
  const relative = Array.from(
    code.matchAll(/^(?:import|export|\} from)\b.*"(\.\.?\/[^"]+)"|\bimport\("(\.\.?\/[^"]+)"\)/gmu),
    ([, a, b]) => a ?? b ?? "",
  );
  return relative
    .map((target) => posix.join(posix.dirname(path), target))
    .filter((target) => packageOf(target) !== packageOf(path))
    .filter((target) => !MAY_REACH.some(([from, into]) => from.test(path) && target.startsWith(into)));
}

function packageOf(path: string): string {
  return path.split("/", 2).join("/");
}

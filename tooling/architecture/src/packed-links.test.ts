import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import process from "node:process";
import { beforeAll, describe, expect, it } from "vitest";
import { allLinksOf, targetExists } from "./links.ts";
import type { Page } from "./markdown.ts";
import { pathOfUrl } from "./repository-url.ts";
import { isPublic, ROOT, workspacePackages } from "./workspace.ts";

const packages = workspacePackages().filter(isPublic);
const folders = packages.map(({ folder }) => folder);

/** Files of each tarball, relative to the package's folder. */
const packed = new Map<string, readonly string[]>();

/** Asks pnpm, which packs the packages for publishing too, for the files of each. It compresses none of them, as npm does. */
beforeAll(() => {
  const chosen = folders.map((folder) => `--filter=./${folder}`);
  // On Windows pnpm is a `.cmd` file, which only a shell can start.
  const options = { cwd: ROOT, encoding: "utf8", shell: process.platform === "win32", maxBuffer: 64 * 1024 * 1024 } as const;
  const tarballs = JSON.parse(execFileSync("pnpm", ["-r", ...chosen, "pack", "--dry-run", "--json"], options)) as readonly Tarball[];
  for (const { name, files } of tarballs) {
    const folder = packages.find(({ manifest }) => manifest.name === name)?.folder ?? name;
    packed.set(
      folder,
      files.map(({ path }) => path),
    );
  }
}, 300_000);

interface Tarball {
  readonly name: string;
  readonly files: readonly { readonly path: string }[];
}

function packedFiles(folder: string): readonly string[] {
  return packed.get(folder) ?? [];
}

/** Returns links that are broken for a reader of the package alone: to files that it lacks, or to pages that the repository lacks. */
function deadLinksOf(page: Page, folder: string, files: ReadonlySet<string>): readonly string[] {
  return allLinksOf(page).filter((link) => {
    if (pathOfUrl(link.split("#")[0] ?? "") !== undefined || link.startsWith("#")) return !targetExists(page, link);
    if (/^[a-z]+:/.test(link)) return false;
    const target = posix.relative(folder, posix.join(posix.dirname(page.path), link.split("#")[0] ?? ""));
    return !files.has(target) || !targetExists(page, link);
  });
}

describe("the npm packages", () => {
  it("is every published package", () => {
    expect(folders).toEqual(expect.arrayContaining(["apps/cli", "apps/mcp-server", "packages/core", "packages/runtime"]));
  });

  it.each(folders)(
    "of %s has a README, and no link in it leads nowhere",
    (folder) => {
      const files = new Set(packedFiles(folder));
      expect([...files]).toEqual(expect.arrayContaining(["README.md", "LICENSE", "package.json"]));
      const pages = [...files].filter((file) => file.endsWith(".md"));
      const dead = pages.flatMap((file) => {
        const path = posix.join(folder, file);
        return deadLinksOf({ path, text: readFileSync(join(ROOT, path), "utf8") }, folder, files).map((link) => `${file}: ${link}`);
      });
      expect(dead).toEqual([]);
    },
    60_000,
  );

  it.each(folders)("of %s has no tests and no test data", (folder) => {
    expect(packedFiles(folder).filter((file) => /\.test\.|(?:^|\/)(?:test|testing)\//u.test(file))).toEqual([]);
  });

  it("detects dead links of either kind", () => {
    const page = {
      path: "packages/core/README.md",
      text: "[a](../../README.md) [b](./none.md) [c](LICENSE) [d](https://github.com/workrail/workrail/blob/main/docs/none.md) [e](https://example.org)",
    };
    expect(deadLinksOf(page, "packages/core", new Set(["LICENSE", "README.md"]))).toEqual([
      "../../README.md",
      "./none.md",
      "https://github.com/workrail/workrail/blob/main/docs/none.md",
    ]);
  });
});

describe("texts of a package", () => {
  /** Pages of the repository, by names that a text may use. */
  const PAGE =
    /\bdocs\/|\b(?:README|CONTRIBUTING|ARCHITECTURE|SECURITY|errors|settings|tools|cli|glossary|platforms|status|transcripts|performance)\.md\b/;
  const LITERAL = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;

  it.each(folders)(
    "of %s name no page that it lacks: a hint names an address that exists, or none",
    (folder) => {
      const files = packedFiles(folder).filter((file) => /^src\/.*\.ts$/.test(file) && !/\/testing\//.test(file));
      const sources = files.length > 0 ? files : sourcesOf(folder);
      expect(sources.length).toBeGreaterThan(0);
      const named = sources.flatMap((file) => {
        const code = readFileSync(join(ROOT, folder, file), "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
        return (code.match(LITERAL) ?? []).filter((text) => PAGE.test(text) && !isOnTheWeb(text)).map((text) => `${file}: ${text}`);
      });
      expect(named).toEqual([]);
    },
    60_000,
  );

  /**
   * Returns the sources that are published. An app is bundled without its sources. The documentation's tables are generated from
   * `src/json`, which has no text at run time.
   */
  function sourcesOf(folder: string): readonly string[] {
    const all = globSync("src/**/*.ts", { cwd: join(ROOT, folder) }).map((file) => file.replaceAll("\\", "/"));
    return all.filter((file) => !/\.test\.ts$|\/(?:testing|golden|json)\//.test(file));
  }

  function isOnTheWeb(text: string): boolean {
    const links = text.match(/https:\/\/[^\s"'`)]+/g) ?? [];
    return (
      links.some((link) => PAGE.test(link)) &&
      links.every((link) => pathOfUrl(link.split("#")[0] ?? "") === undefined || targetExists({ path: "README.md", text: "" }, link))
    );
  }
});

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY_URL } from "./repository-url.ts";
import { isPublic, ROOT, workspacePackages, type ExportTarget } from "./workspace.ts";

const published = workspacePackages().filter(isPublic);
const libraries = published.filter(({ folder }) => folder.startsWith("packages/"));

describe.each(published.map((found) => [found.manifest.name, found] as const))("%s as published", (name, { folder, manifest }) => {
  it("is named after its folder and has a description", () => {
    expect(name).toBe(`@workrail/${folder.split("/")[1] ?? ""}`);
    expect(manifest.description).toMatch(/\S/);
    expect(manifest.type).toBe("module");
  });

  it("has a repository, an address for faults, and keywords", () => {
    expect(manifest.repository).toEqual({ type: "git", url: `git+${REPOSITORY_URL}.git`, directory: folder });
    expect(manifest.homepage).toBe(`${REPOSITORY_URL}/tree/main/${folder}#readme`);
    expect(manifest.bugs).toEqual({ url: `${REPOSITORY_URL}/issues` });
    expect(manifest.keywords?.length).toBeGreaterThanOrEqual(5);
    expect(manifest.keywords).toContain("workrail");
  });

  it("runs on Node 22 and newer", () => {
    expect(manifest.engines).toEqual({ node: ">=22" });
  });

  it("has the licence and its own README", () => {
    expect(manifest.license).toBe("MIT");
    expect(readFileSync(join(ROOT, folder, "LICENSE"), "utf8")).toBe(readFileSync(join(ROOT, "LICENSE"), "utf8"));
    expect(readFileSync(join(ROOT, folder, "README.md"), "utf8")).toMatch(new RegExp(`^# ${name}\n`));
  });

  it("has the version of all others", () => {
    expect(manifest.version).toBe(published[0]?.manifest.version);
  });

  it("names every dependency by the catalog or the workspace", () => {
    const ranges = [manifest.dependencies, manifest.optionalDependencies, manifest.devDependencies].flatMap((entries) =>
      Object.entries(entries ?? {}),
    );
    const wrong = ranges.filter(([dependency, range]) => range !== (dependency.startsWith("@workrail/") ? "workspace:^" : "catalog:"));
    expect(wrong).toEqual([]);
  });
});

describe.each(libraries.map((found) => [found.manifest.name, found] as const))("%s as a library", (_, { folder, manifest }) => {
  it("declares itself free of side effects", () => {
    expect(manifest.sideEffects).toBe(false);
  });

  it("points every entry at a source that exists, before anything built", () => {
    for (const [subpath, target] of Object.entries(manifest.exports ?? {})) {
      if (subpath.endsWith(".json")) continue;
      expect(typeof target === "object" && Object.keys(target)[0], subpath).toBe("@workrail/source");
      for (const source of sources(target)) expect(existsSync(join(ROOT, folder, source)), `${subpath}: ${source}`).toBe(true);
    }
  });
});

function sources(target: ExportTarget): readonly string[] {
  if (typeof target === "string") return target.startsWith("./src/") ? [target] : [];
  return Object.values(target).flatMap(sources);
}

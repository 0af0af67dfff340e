import { describe, expect, it } from "vitest";
import { namedPaths } from "./named-paths.ts";

describe("paths that a context names", () => {
  it.each<[string, string]>([
    ["the fix is in src/auth/login.ts.", "src/auth/login.ts"],
    ["(see src/a.ts:12:5)", "src/a.ts"],
    ["src/a.ts#L10-L20", "src/a.ts"],
    ["src/a.cs(12,5): error", "src/a.cs"],
    ["+++ b/src/a.ts", "src/a.ts"],
    ["`app/[id]/(group)/page.tsx`", "app/[id]/(group)/page.tsx"],
    ["config=./etc/app.yaml", "./etc/app.yaml"],
    ["C:\\work\\app\\main.c", "C:\\work\\app\\main.c"],
    ["/home/me/app/Makefile", "/home/me/app/Makefile"],
    ["read package.json first", "package.json"],
    ["docs/größe.md, und", "docs/größe.md"],
    ["my notes/to do.md", "my notes/to do.md"],
  ])("in %j are %s", (text, path) => {
    expect(namedPaths({ note: text })).toContain(path);
  });

  it.each(["", "https://example.com/a/b.html", "version 1.2.3", "so it is.", "..."])("are none in %j", (text) => {
    expect(namedPaths({ note: text })).toEqual([]);
  });

  it("are found in keys and at any depth, each once", () => {
    expect(namedPaths({ files: { "src/a.ts": [{ why: "in src/a.ts,\nsrc/b.ts it is" }] } })).toEqual(["src/a.ts", "src/b.ts"]);
  });

  it("have an upper limit", () => {
    expect(namedPaths({ files: Array.from({ length: 5_000 }, (_, index) => `src/${index}.ts`) })).toHaveLength(1_000);
  });
});

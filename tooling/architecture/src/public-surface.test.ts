import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { isPublic, ROOT, workspacePackages, type ExportTarget } from "./workspace.ts";

// A change of this test's snapshot changes the exports that users can import: review it as such. Renew it with: npm test --
// tooling/architecture --update
it("exports exactly the snapshot", async () => {
  const surface: Record<string, Record<string, readonly string[]>> = {};
  for (const { folder, manifest } of workspacePackages().filter(isPublic)) {
    const entries: Record<string, readonly string[]> = {};
    for (const [subpath, target] of Object.entries(manifest.publishConfig?.exports ?? manifest.exports ?? {})) {
      if (subpath === "./package.json") continue;
      for (const [label, source] of sources(target, subpath)) entries[label] = await runtimeNames(join(ROOT, folder, source));
    }
    surface[manifest.name] = entries;
  }
  await expect(`${JSON.stringify(surface, undefined, 2)}\n`).toMatchFileSnapshot("./__snapshots__/public-surface.json");
});

async function runtimeNames(path: string): Promise<readonly string[]> {
  const module = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Record<string, unknown>;
  return Object.keys(module).toSorted();
}

/** Returns the source files of an entry, each labelled with the conditions that lead to it. */
function sources(target: ExportTarget, label: string): readonly (readonly [label: string, source: string])[] {
  if (typeof target === "string") return target.startsWith("./src/") ? [[label, target]] : [];
  return Object.entries(target).flatMap(([condition, next]) =>
    sources(next, condition === "@workrail/source" ? label : `${label} (${condition})`),
  );
}

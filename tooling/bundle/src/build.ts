// Builds the JavaScript of all packages and apps, after `tsc -b` has written the declarations of the packages.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type App, bundleApp } from "@workrail/programs";
import { bundleLibrary } from "./bundle-library.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

for (const folder of foldersOf("packages/*/tsconfig.build.json").filter(hasDeclarationsOnly)) await bundleLibrary(folder);
for (const app of foldersOf("apps/*/rolldown.config.ts")) await bundleApp({ app, config: await configOf(app) }, join(app, "dist"));

function foldersOf(pattern: string): readonly string[] {
  return globSync(pattern, { cwd: ROOT }).map((path) => join(ROOT, dirname(path)));
}

/** False for a package whose JavaScript `tsc` writes too. */
function hasDeclarationsOnly(folder: string): boolean {
  const { compilerOptions } = JSON.parse(readFileSync(join(folder, "tsconfig.build.json"), "utf8")) as {
    readonly compilerOptions: { readonly emitDeclarationOnly?: boolean };
  };
  return compilerOptions.emitDeclarationOnly === true;
}

async function configOf(app: string): Promise<App["config"]> {
  const { default: config } = (await import(pathToFileURL(join(app, "rolldown.config.ts")).href)) as { readonly default: App["config"] };
  return config;
}

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { RolldownOptions, RolldownPlugin } from "rolldown";
import { bundleOnce } from "./bundle-once.ts";

/**
 * Bundles a program in TypeScript, with the packages of this repository that it imports, unless these sources are bundled already.
 * Node needs half of the processor time to start the bundle, which pays where a test starts a program several times. Run it with the
 * condition `@workrail/source`: what it loads beside its modules, such as a worker, is a source.
 *
 * @returns the path of the bundle.
 */
export async function bundleProgram(program: URL): Promise<string> {
  const file = fileURLToPath(program);
  const name = basename(file, ".ts");
  const dist = await bundleOnce({ app: packageOf(file), config: [configOf(file)], folder: `.workrail-${name}`, hasTests: true });
  return join(dist, `${name}.mjs`);
}

function packageOf(file: string): string {
  let folder = dirname(file);
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

function configOf(file: string): RolldownOptions {
  return {
    input: file,
    platform: "node",
    resolve: { conditionNames: ["@workrail/source", "import", "node"] },
    plugins: [othersInPlace, urlsOfSources],
    output: { format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" },
  };
}

/** Imports packages of others from where they are: some have native code, and the bundle lies elsewhere. */
const othersInPlace: RolldownPlugin = {
  name: "others-in-place",
  async resolveId(source, importer) {
    if (importer === undefined || /^(?:\.|\/|node:|@workrail\/)/u.test(source)) return null;
    const resolved = await this.resolve(source, importer, { skipSelf: true });
    return resolved === null || resolved.external !== false ? null : { id: pathToFileURL(resolved.id).href, external: true };
  },
};

/** Files that a module finds beside itself stay where they are. */
const urlsOfSources: RolldownPlugin = {
  name: "urls-of-sources",
  transform: {
    filter: { code: "import.meta.url" },
    handler: (code, id) => code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)),
  },
};

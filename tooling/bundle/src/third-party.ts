import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "rolldown";

const FILE = "THIRD_PARTY_LICENSES.txt";

/** Notices of each output folder, by name and version of the package. */
const notices = new Map<string, Map<string, string>>();

/**
 * Writes the licences of all packages whose code is in a bundle, and the notices of our own packages for the data of others that they hold.
 * Several bundles in one folder share the file.
 */
export const thirdParty: Plugin = {
  name: "third-party",
  writeBundle({ dir = "dist" }, files) {
    const known = notices.get(dir) ?? new Map<string, string>();
    notices.set(dir, known);
    for (const file of Object.values(files)) {
      if (file.type !== "chunk") continue;
      for (const id of file.moduleIds) addNotice(known, id);
    }
    if (known.size === 0) return;
    const texts = [...known].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([title, text]) => `${title}\n\n${text}\n`);
    writeFileSync(join(dir, FILE), texts.join(`\n${"-".repeat(80)}\n\n`));
  },
};

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
}

function addNotice(known: Map<string, string>, moduleId: string): void {
  if (!/[\\/]node_modules[\\/]/u.test(moduleId)) return addOwnNotice(known, moduleId);
  let folder = dirname(moduleId);
  // Folders inside a package may have a package.json that only sets `type`.
  let manifest = manifestIn(folder);
  while (manifest?.name === undefined || manifest.version === undefined) {
    const above = dirname(folder);
    if (above === folder) throw new Error(`${moduleId} belongs to no package.`);
    folder = above;
    manifest = manifestIn(folder);
  }
  const title = `${manifest.name} ${manifest.version} (${manifest.license ?? "no licence named"})`;
  if (known.has(title)) return;
  const licence = readdirSync(folder).find((name) => /^licen[cs]e(?:\.(?:md|txt))?$/iu.test(name));
  known.set(title, licence === undefined ? "" : readFileSync(join(folder, licence), "utf8").trim());
}

/** Adds what the file of this name in one of our packages says; its first line is the title. */
function addOwnNotice(known: Map<string, string>, moduleId: string): void {
  const file = join(dirname(moduleId), "..", FILE);
  if (!existsSync(file)) return;
  const [title = "", ...lines] = readFileSync(file, "utf8").split("\n");
  known.set(title, lines.join("\n").trim());
}

function manifestIn(folder: string): Manifest | undefined {
  const file = join(folder, "package.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Manifest) : undefined;
}

/** Reads the version of this package. */
export function readVersion(): string {
  // An import of `node:fs` would load streams before anything else runs.
  const fs = process.getBuiltinModule("node:fs");
  const file = new URL("../package.json", import.meta.url);
  const { version } = JSON.parse(fs.readFileSync(file, "utf8")) as { version: string };
  return version;
}

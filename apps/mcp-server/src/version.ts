import { readFileSync } from "node:fs";

/** The version of this package, from the package.json that lies beside both `src` and `dist`. */
export function readVersion(): string {
  const file = new URL("../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  return version;
}

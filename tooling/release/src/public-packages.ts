import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../../..", import.meta.url));

export interface PublicPackage {
  readonly name: string;
  readonly folder: string;
  /** True when programs can import it; the apps have commands only. */
  readonly isLibrary: boolean;
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, unknown>>;
}

/** Returns every package of the workspace that is published. */
export function publicPackages(): readonly PublicPackage[] {
  return globSync("{packages,apps}/*/package.json", { cwd: ROOT })
    .toSorted()
    .flatMap((path) => {
      const manifest = JSON.parse(readFileSync(join(ROOT, path), "utf8")) as Manifest;
      if (manifest.private === true) return [];
      return [{ name: manifest.name, folder: join(ROOT, dirname(path)), isLibrary: manifest.exports?.["."] !== undefined }];
    });
}

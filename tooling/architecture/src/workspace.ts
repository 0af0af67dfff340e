import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../../..", import.meta.url));

type Ranges = Readonly<Record<string, string>>;

/** Fields of a package.json that these tests read. */
export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly version?: string;
  readonly description?: string;
  readonly license?: string;
  readonly keywords?: readonly string[];
  readonly homepage?: string;
  readonly bugs?: Ranges;
  readonly repository?: Ranges;
  readonly type?: string;
  readonly sideEffects?: boolean;
  readonly bin?: Ranges;
  readonly files?: readonly string[];
  readonly engines?: Ranges;
  readonly exports?: Readonly<Record<string, ExportTarget>>;
  /** `exports` here replaces the other when the package is packed. */
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, ExportTarget>> };
  readonly dependencies?: Ranges;
  readonly devDependencies?: Ranges;
  readonly peerDependencies?: Ranges;
  readonly optionalDependencies?: Ranges;
}

export type ExportTarget = string | { readonly [condition: string]: ExportTarget };

export interface Package {
  /** Relative to the root, with forward slashes: `packages/core`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Returns every package of the workspace, ordered by folder. */
export function workspacePackages(): readonly Package[] {
  return globSync("{packages,apps,tooling,examples}/*/package.json", { cwd: ROOT })
    .map((path) => ({
      folder: dirname(path).replaceAll("\\", "/"),
      manifest: JSON.parse(readFileSync(join(ROOT, path), "utf8")) as Manifest,
    }))
    .toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
}

export function isPublic(candidate: Package): boolean {
  return candidate.manifest.private !== true;
}

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { PublicPackage } from "./public-packages.ts";
import { run } from "./run.ts";

/** Packs a package as for publishing, and resolves to the tarball's path. */
export async function pack(target: PublicPackage, into: string): Promise<string> {
  const { code, output } = await run("pnpm", ["pack", "--pack-destination", into], { cwd: target.folder });
  const prefix = `${target.name.replace("@", "").replace("/", "-")}-`;
  const file = readdirSync(into).find((name) => name.startsWith(prefix) && /^\d/.test(name.slice(prefix.length)));
  if (code !== 0 || file === undefined) throw new Error(`${target.name} cannot be packed:\n${output}`);
  return join(into, file);
}

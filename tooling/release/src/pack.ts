import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT, type PublicPackage } from "./public-packages.ts";
import { run } from "./run.ts";

/** Packs packages as for publishing, in one process. Resolves to the path of each tarball by the name of its package. */
export async function pack(targets: readonly PublicPackage[], into: string): Promise<ReadonlyMap<string, string>> {
  const these = targets.map(({ name }) => `--filter=${name}`);
  const { code, output } = await run("pnpm", ["--recursive", ...these, "pack", "--pack-destination", into], { cwd: ROOT });
  const files = readdirSync(into);
  const packed = targets.map(({ name }) => {
    const prefix = `${name.replace("@", "").replace("/", "-")}-`;
    const file = files.find((each) => each.startsWith(prefix) && /^\d/.test(each.slice(prefix.length)));
    if (code !== 0 || file === undefined) throw new Error(`${name} cannot be packed:\n${output}`);
    return [name, join(into, file)] as const;
  });
  return new Map(packed);
}

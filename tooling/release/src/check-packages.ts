// Packs every public package and checks the tarball: publint for the manifest, "Are the types wrong?" for the types.
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { pack } from "./pack.ts";
import { publicPackages, type PublicPackage } from "./public-packages.ts";

/** Ways to resolve a module that our packages do not support: they are ES modules, and have `exports`. */
const UNSUPPORTED: ReadonlySet<string> = new Set(["node10", "node16-cjs"]);

const work = mkdtempSync(join(tmpdir(), "workrail-packages-"));
try {
  const findings: (readonly string[])[] = [];
  const packages = publicPackages();
  const tarballs = await pack(packages, work);
  for (const target of packages) findings.push(await check(target, readFileSync(tarballs.get(target.name) ?? "")));
  process.exitCode = findings.some((found) => found.length > 0) ? 1 : 0;
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function check(target: PublicPackage, tarball: Uint8Array<ArrayBuffer>): Promise<readonly string[]> {
  const found = [...(await lint(tarball)), ...(target.isLibrary ? await checkTypes(tarball) : [])];
  console.log(`${target.name}: ${found.length === 0 ? "ok" : `\n${found.join("\n")}`}`);
  return found;
}

async function lint(tarball: Uint8Array<ArrayBuffer>): Promise<readonly string[]> {
  const data = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball: data }, strict: true });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

async function checkTypes(tarball: Uint8Array): Promise<readonly string[]> {
  const checked = await checkPackage(createPackageFromTarballData(tarball));
  if (checked.types === false) return ["The package has no types."];
  const found = checked.problems.filter((problem) => !("resolutionKind" in problem && UNSUPPORTED.has(problem.resolutionKind)));
  return found.map(({ kind, ...where }) => `${kind}: ${JSON.stringify(where)}`);
}

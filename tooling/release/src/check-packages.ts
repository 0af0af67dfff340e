// Packs every public package and checks the tarball: publint for the manifest, attw for the types.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { pack } from "./pack.ts";
import { publicPackages, type PublicPackage } from "./public-packages.ts";
import { run } from "./run.ts";

// The tools belong to this package; pnpm finds them from its folder.
const HERE = fileURLToPath(new URL("..", import.meta.url));

const work = mkdtempSync(join(tmpdir(), "workrail-packages-"));
try {
  const findings = await Promise.all(publicPackages().map((target) => check(target)));
  process.exitCode = findings.some((found) => found.length > 0) ? 1 : 0;
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function check(target: PublicPackage): Promise<readonly string[]> {
  const tarball = await pack(target, work);
  const found = [...(await lint(tarball)), ...(target.isLibrary ? await checkTypes(tarball) : [])];
  console.log(`${target.name}: ${found.length === 0 ? "ok" : `\n${found.join("\n")}`}`);
  return found;
}

async function lint(tarball: string): Promise<readonly string[]> {
  const bytes = readFileSync(tarball);
  const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball: data }, strict: true });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

async function checkTypes(tarball: string): Promise<readonly string[]> {
  const { code, output } = await run("pnpm", ["run", "attw", tarball], { cwd: HERE });
  return code === 0 ? [] : [output];
}

import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync, realpathSync, statSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { asServer, isRoot, postgresPrograms } from "./postgres-programs.ts";

const run = promisify(execFile);

/** Folder with the data of a new server, which tests copy. */
const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/workrail/postgres", import.meta.url));

const INITIAL = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8"];

/** Writes the data of a new server into a folder. The settings are further arguments of `initdb`. */
export function initializePostgres(data: string, settings: readonly string[]): Promise<void> {
  return asServer("initdb", ["-D", data, ...INITIAL, ...settings]);
}

/** Puts the data of a new server into a folder. `initdb` runs once for all tests: a copy takes a tenth of its time. */
export async function copyPostgresData(data: string): Promise<void> {
  const template = path.join(CACHE, templateName());
  if (existsSync(template)) {
    await run("cp", ["-R", template, data]);
    if (isRoot()) await run("chown", ["-R", "postgres", data]);
    return;
  }
  await initializePostgres(data, ["--no-sync"]);
  const unfinished = path.join(CACHE, `unfinished-${randomUUID()}`);
  await mkdir(CACHE, { recursive: true });
  await run("cp", ["-R", data, unfinished]);
  await settle(unfinished, template);
}

/** Moves a template into place, and removes those of other versions. The first process wins; the templates of others are equal. */
async function settle(unfinished: string, template: string): Promise<void> {
  try {
    await rename(unfinished, template);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(template)) throw error;
  }
  const isOld = (name: string): boolean => !name.startsWith("unfinished-") && name !== path.basename(template);
  for (const name of (await readdir(CACHE)).filter(isOld)) await rm(path.join(CACHE, name), { recursive: true, force: true });
}

/** Name that changes with the installed version. */
function templateName(): string {
  const initdb = realpathSync(path.join(postgresPrograms() ?? "", "initdb"));
  const { size, mtimeMs } = statSync(initdb);
  const about = [initdb, size, mtimeMs, ...INITIAL];
  return createHash("sha256").update(about.join("\0")).digest("hex").slice(0, 16);
}

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { makePrivateDirectory, userCacheDirectory } from "@workrail/runtime";

/** The program of each platform that opens a file in the browser of its user. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/**
 * Opens a link in the user's browser, by a file that only the user can read: others on the machine see the arguments of a process.
 *
 * @returns the function that removes the file; `undefined` when no browser could be started.
 */
export async function openBrowser(link: string): Promise<(() => void) | undefined> {
  const folder = makePrivateDirectory(join(userCacheDirectory(), "ui"));
  if (folder === undefined) return undefined;
  removeOld(folder);
  const file = join(folder, `open-${randomUUID()}.html`);
  writeFileSync(file, leadingTo(link), { mode: 0o600, flag: "wx" });
  const [command, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, pathToFileURL(file).href], { stdio: "ignore", detached: true });
  child.unref();
  try {
    await once(child, "spawn");
    return () => rmSync(file, { force: true });
  } catch {
    // The program is missing: the user opens the printed link.
    rmSync(file, { force: true });
    return undefined;
  }
}

/** Removes files of runs that were killed. Their links do not work any more. */
function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) if (/^open-[\w-]+\.html$/u.test(name)) rmSync(join(folder, name), { force: true });
}

function leadingTo(link: string): string {
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${link}"><title>Workrail</title>`;
}

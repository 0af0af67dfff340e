import fs, { type Stats } from "node:fs";
import path from "node:path";

/** Files that are read here are small; whatever is larger is something else. */
const MAX_BYTES = 64 * 1024;
/** A packed list of refs may be long. */
export const MAX_LIST_BYTES: number = 32 * 1024 * 1024;

/** Reads files and remembers what they were, so that one can tell without reading whether any has changed, come or gone. */
export class WatchedFiles {
  readonly #seen = new Map<string, string>();

  /** The text of a plain file of a sensible size; `undefined` for anything else, and for what cannot be read. */
  async read(file: string, maxBytes: number = MAX_BYTES): Promise<string | undefined> {
    const stat = await this.#look(file);
    // Anything but a file could keep a reader waiting for ever.
    if (stat?.isFile() !== true || stat.size > maxBytes) return undefined;
    return fs.promises.readFile(file, "utf8").catch(() => undefined);
  }

  async isDirectory(directory: string): Promise<boolean> {
    return (await this.#look(directory))?.isDirectory() === true;
  }

  /** Whether all is as it was. Looks at once, which takes microseconds: each file handed to another thread would take a save longer. */
  areSame(): boolean {
    return [...this.#seen].every(([file, was]) => signatureOf(lookAtOnce(file)) === was);
  }

  async #look(file: string): ReturnType<typeof statOf> {
    const stat = await statOf(file);
    this.#seen.set(path.normalize(file), signatureOf(stat));
    return stat;
  }
}

async function statOf(file: string): Promise<Stats | undefined> {
  return fs.promises.stat(file).catch(() => undefined);
}

function lookAtOnce(file: string): Stats | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false });
  } catch {
    // What cannot be looked at is as good as not there, here as in `statOf`.
    return undefined;
  }
}

/** Git replaces its files rather than writing into them: a new one has another number. What is in a directory is not asked. */
function signatureOf(stat: Stats | undefined): string {
  if (stat === undefined) return "none";
  return stat.isDirectory() ? `directory ${stat.ino}` : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
}

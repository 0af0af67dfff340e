import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a file with its folder; leaves a file that is already there as it is. */
export async function writeNewFile(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, content, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a file and creates its folder; leaves an existing file unchanged. */
export async function writeNewFile(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, content, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

import path from "node:path";
import { textOfFile } from "../or-absent.ts";

/** The project of a Gemini CLI folder, from a small file in the folder; `undefined` without the file. */
export function projectRootOf(folder: string): string | undefined {
  return textOfFile(path.join(folder, ".project_root"))?.trim() || undefined;
}

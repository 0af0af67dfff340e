import path from "node:path";
import { textOfFile } from "../or-absent.ts";

/** The project of a folder that Gemini CLI keeps, as a small file in it says; `undefined` without one. */
export function projectRootOf(folder: string): string | undefined {
  return textOfFile(path.join(folder, ".project_root"))?.trim() || undefined;
}

import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

/**
 * Describes a directory and everything below it: type, mode, times, owner and bytes. Access times are left out, because reading changes
 * them.
 */
export function snapshotOf(directory: string): readonly string[] {
  const names = fs.readdirSync(directory, { recursive: true }).map(String);
  return ["", ...names.toSorted()].map((name) => {
    const file = path.join(directory, name);
    const { mode, size, mtimeNs, ctimeNs, ino, uid } = fs.lstatSync(file, { bigint: true });
    const bytes = fs.lstatSync(file).isFile() ? createHash("sha256").update(fs.readFileSync(file)).digest("hex") : "";
    return [name, ino, mode.toString(8), uid, size, mtimeNs, ctimeNs, bytes].join(" ");
  });
}

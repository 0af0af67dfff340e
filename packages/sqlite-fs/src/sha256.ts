import { hash } from "node:crypto";

/** Digests a text into 64 hexadecimal digits. */
export function sha256(text: string): string {
  return hash("sha256", text, "hex");
}

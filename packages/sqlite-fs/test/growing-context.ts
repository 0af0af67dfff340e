import { hash } from "node:crypto";
import type { Context } from "@workrail/core";

/** Context with a growing history that hardly compresses, so that a delta pays. The writer and the number determine it. */
export function growingContext(writer: string, number: number): Context {
  const history = Array.from({ length: number + 40 }, (_, index) => ({ index, seen: hash("sha256", `step ${index}`, "base64") }));
  return { writer, number, history, last: history.at(-1)?.seen ?? "" };
}

import type { ForeignSession } from "@workrail/core";
import { foreignSessionText } from "@workrail/transfer";
import { nodeDigests } from "./environment.ts";

/** Exports a foreign session, as `exportForeignSession` of the library describes. */
export async function* exportForeignSession(session: ForeignSession): AsyncGenerator<string, void, undefined> {
  yield* foreignSessionText(session, nodeDigests);
}

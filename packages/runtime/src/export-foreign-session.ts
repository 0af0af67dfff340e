import type { ForeignSession } from "@workrail/core";
import { foreignSessionText } from "@workrail/transfer";
import { nodeDigests } from "./environment.ts";

/** Yields a session of another program as an export, in pieces, for `importText` of a store. */
export async function* exportForeignSession(session: ForeignSession): AsyncGenerator<string, void, undefined> {
  yield* foreignSessionText(session, nodeDigests);
}

import { directoryNameOf, fileNameOf } from "@workrail/blob-files";
import type { BlobRef, SessionId } from "@workrail/core";
import type { SqliteConnection } from "./sqlite-connection.ts";

interface Row {
  readonly id: SessionId;
}

/** Returns the sessions in whose directories blobs are. */
export function sessionsBeside(connection: SqliteConnection, blobs: readonly BlobRef[]): readonly SessionId[] {
  return [...new Set(blobs.map(directoryNameOf))].flatMap((name) => sessionIn(connection, name) ?? []);
}

/** Most directories have the session id as their name; for the others all sessions are compared. */
function sessionIn(connection: SqliteConnection, directoryName: string): SessionId | undefined {
  const named = connection.statement("SELECT id FROM session WHERE id = ?").get(directoryName) as Row | undefined;
  if (named !== undefined) return named.id;
  const rows = connection.statement("SELECT id FROM session").all() as readonly Row[];
  return rows.find(({ id }) => fileNameOf(id) === directoryName)?.id;
}

import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { onDisk } from "./stores.ts";

/** Of the last index that took `l'utilisateur` for one word. */
const OLDER = 6;

it("a search index of an older version is made anew by the first search, and finds what it could not find before", () =>
  onDisk(async (place) => {
    const first = await place.open();
    const { checkpointId } = await first.saveCheckpoint({ sessionId: "a", context: { note: "Bloquer l'utilisateur" } });
    expect((await first.searchCheckpoints({ query: "utilisateur" })).hits).toHaveLength(1);
    await first.close();

    const database = new DatabaseSync(path.join(place.dataDir, "search.db"));
    const { number } = database.prepare("SELECT number FROM document").get() as { number: number };
    database.prepare("DELETE FROM term WHERE rowid = ?").run(number);
    database.prepare("INSERT INTO term (rowid, words) VALUES (?, 'bloquer lutilisateur note')").run(number);
    database.exec(`PRAGMA user_version = ${OLDER}`);
    database.close();

    await using again = await place.open();
    const { hits, loose } = await again.searchCheckpoints({ query: "utilisateur" });
    expect([hits.map(({ checkpoint }) => checkpoint.id), loose]).toEqual([[checkpointId], undefined]);
  }));

import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { foreseeable, KINDS, onDisk, refusalOf } from "./stores.ts";

const IDS = [
  "user:42",
  "feature/login",
  "caf\u00e9",
  "two words",
  "日本語の仕事",
  "👩\u200d👩\u200d👧 🚀",
  "../../escape",
  "CON",
  "aux.",
  'It\'s "$1"',
  "x".repeat(128),
];

describe.each(KINDS)("a session of any name in a store of $kind", ({ at }) => {
  it.each(IDS)("can be saved to, loaded, listed, searched, pinned, tagged and traced: %s", (sessionId) =>
    at(async (place) => {
      await using store = await place.open({ adapters: foreseeable() });
      const saved = await store.saveCheckpoint({ sessionId, context: { goal: "mend the weathervane" } });
      expect(saved.sessionId).toBe(sessionId);
      await store.saveCheckpoint({ sessionId, context: { goal: "mend the weathervane", step: 2 } });
      expect(await store.loadCheckpoint({ sessionId })).toMatchObject({ sessionId, context: { step: 2 } });
      expect((await store.findCheckpoints({ sessionId })).total).toBe(2);
      expect((await store.listSessions()).sessions.map(({ id }) => id)).toEqual([sessionId]);
      expect((await store.searchCheckpoints({ query: "weathervane" })).hits[0]?.checkpoint.sessionId).toBe(sessionId);
      expect((await store.markCritical({ sessionId, contextKey: "goal" })).status).toBe("SUCCESS");
      expect((await store.tagSession({ sessionId, add: ["mine"] })).tags).toEqual(["mine"]);
      expect((await store.traceSession({ sessionId })).total).toBe(2);
      expect(await store.resumeWork({ sessionId })).toMatchObject({ status: "LOADED", sessionId });
    }),
  );

  it("survives the loss of the catalog, with its facts", () =>
    at(async (place) => {
      for (const sessionId of IDS) {
        await using store = await place.open();
        await store.saveCheckpoint({ sessionId, context: { sessionId } });
        await store.tagSession({ sessionId, add: ["mine"] });
      }
      place.loseCatalog();
      await using store = await place.open();
      for (const sessionId of IDS) {
        expect((await store.loadCheckpoint({ sessionId })).context).toEqual({ sessionId });
        expect((await store.findCheckpoints({ sessionId })).session?.tags).toEqual(["mine"]);
      }
      expect((await store.verifyStore()).findings ?? []).toEqual([]);
    }));

  it("is unique: no other form, case or white space matches it", () =>
    at(async (place) => {
      await using store = await place.open();
      for (const sessionId of ["Caf\u00e9", "caf\u00e9", "cafe", "caf\u00e9 ", "caf\u00e9."])
        await store.saveCheckpoint({ sessionId, context: { sessionId } });
      expect((await store.listSessions()).total).toBe(5);
      // The same text in another Unicode form names the same session.
      expect((await store.loadCheckpoint({ sessionId: "cafe\u0301" })).context).toEqual({ sessionId: "caf\u00e9" });
      for (const [sessionId, reason] of [
        ["a\u0007", "U+0007"],
        ["\ud800", "U+D800"],
        [" ", "white space"],
        ["", "1 to 128"],
      ] as const) {
        for (const refused of [
          store.saveCheckpoint({ sessionId, context: { a: 1 } }),
          store.loadCheckpoint({ sessionId }),
          store.keepSession(sessionId),
        ]) {
          expect(await refusalOf(refused)).toMatchObject({ code: "INVALID_INPUT", message: expect.stringContaining(reason) });
        }
      }
    }));

  it("is copied from one store to another, and can be erased", () =>
    at(async (place) => {
      const texts = new Map<string, string>();
      await using store = await place.open();
      for (const sessionId of IDS) {
        await store.saveCheckpoint({ sessionId, context: { sessionId } });
        let text = "";
        for await (const piece of store.exportText(sessionId)) text += piece;
        texts.set(sessionId, text);
        await store.erase({ sessionId });
      }
      expect((await store.listSessions()).total).toBe(0);
      for (const [sessionId, text] of texts) {
        expect(await store.importText(piecesOf(text))).toMatchObject({ sessionId, added: 1 });
        expect((await store.loadCheckpoint({ sessionId })).context).toEqual({ sessionId });
      }
    }));
});

async function* piecesOf(text: string): AsyncGenerator<string> {
  yield text;
}

it("an export and a backup of sessions of any name stay in their folders", () =>
  onDisk(async (place) => {
    const below = (...names: string[]): string => path.join(path.dirname(place.dataDir), ...names);
    await using store = await place.open();
    for (const sessionId of IDS) await store.saveCheckpoint({ sessionId, context: { sessionId } });
    const { exports } = (await store.exportAll(below("out"))) as unknown as { exports: readonly { file: string }[] };
    expect(exports.map(({ file }) => path.dirname(file))).toEqual(IDS.map(() => below("out")));
    expect(fs.readdirSync(below("out")).length).toBe(IDS.length);
    expect(fs.readdirSync(path.dirname(place.dataDir)).toSorted()).toEqual(["data", "out"]);
    await store.backup(below("copy"));
    await using copy = await place.open({ dataDir: below("copy") });
    for (const sessionId of IDS) expect((await copy.loadCheckpoint({ sessionId })).context).toEqual({ sessionId });
  }));

it("folders of sessions with names of letters and digits keep their names", () =>
  onDisk(async (place) => {
    await using store = await place.open();
    for (const sessionId of ["plain-1", "Demo", "con", "user:42"]) await store.saveCheckpoint({ sessionId, context: { a: 1 } });
    expect(fs.readdirSync(path.join(place.dataDir, "contexts")).toSorted()).toEqual([
      "con_.1143da2b",
      "demo.8a2cc067",
      "plain-1",
      expect.stringMatching(/^user-42\.[0-9a-f]{32}$/u),
    ]);
  }));

import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { bundleProgram } from "@workrail/programs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Workrail } from "../src/workrail.ts";
import { KINDS, onDisk } from "./stores.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const WORDS = ["amber", "basalt", "cobalt", "dolomite", "emerald", "feldspar"];
const SESSIONS = ["one", "two"];
const MOST = 4;
/** Random histories in memory. */
const RUNS = IS_LONG ? 60 : 20;

type Step =
  | { readonly do: "save"; readonly session: number; readonly words: readonly number[] }
  | { readonly do: "trash" | "erase"; readonly session: number; readonly keep: number }
  | { readonly do: "restore"; readonly session: number; readonly which: number }
  | { readonly do: "empty trash"; readonly session: number }
  | { readonly do: "search" }
  | { readonly do: "reopen" };

const session = fc.nat(SESSIONS.length - 1);
const words = fc.uniqueArray(fc.nat(WORDS.length - 1), { minLength: 1, maxLength: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("save" as const), session, words }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("trash" as const, "erase" as const), session, keep: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("restore" as const), session, which: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("empty trash" as const), session }) },
  { weight: 2, arbitrary: fc.oneof(fc.constant({ do: "search" as const }), fc.constant({ do: "reopen" as const })) },
);

/** Returns the live checkpoints of a session, oldest first, as the store lists them, with the words saved in each. */
async function liveIn(
  workrail: Workrail,
  sessionId: string,
  saved: ReadonlyMap<string, readonly string[]>,
): Promise<[string, readonly string[]][]> {
  const all = await workrail.listCheckpoints({ sessionId, limit: 100 });
  return all.toReversed().map(({ id }) => [id, saved.get(id) ?? []]);
}

/** Returns the expected hits of a word: checkpoints whose live predecessor lacks the word. */
function newIn(live: readonly [string, readonly string[]][], word: string): string[] {
  return live.filter(([, has], at) => has.includes(word) && live[at - 1]?.[1].includes(word) !== true).map(([id]) => id);
}

async function perform(workrail: Workrail, each: Step, saved: Map<string, readonly string[]>): Promise<void> {
  if (each.do === "search") await workrail.searchCheckpoints({ query: "amber" });
  if (each.do === "search" || each.do === "reopen") return;
  const sessionId = SESSIONS[each.session] as string;
  if (each.do === "save") {
    const has = each.words.map((at) => WORDS[at] as string);
    const { checkpointId } = await workrail.saveCheckpoint({ sessionId, context: { has, at: saved.size }, force: true });
    saved.set(checkpointId, has);
  } else if ((await workrail.findCheckpoints({ sessionId })).session === undefined) return;
  else if (each.do === "restore") {
    const trashed = await workrail.listTrash({ sessionId });
    const one = trashed[each.which % Math.max(1, trashed.length)];
    if (one !== undefined) await workrail.restoreFromTrash({ sessionId, checkpointIds: [one.id] });
  } else if (each.do === "empty trash") await workrail.emptyTrash({ sessionId });
  else await workrail.cleanUp({ sessionId, permanently: each.do === "erase", ...(each.keep === 0 ? {} : { keepLast: each.keep }) });
}

describe.each(KINDS.filter(({ kind }) => kind !== "files alone"))(
  "whatever is saved, pruned, removed and restored in $kind",
  ({ kind, at }) => {
    it("search finds each word exactly in the live checkpoint that added it", () =>
      fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) =>
          at(async (place) => {
            const open = (): Promise<Workrail> => place.open({ limits: { maxCheckpoints: MOST } });
            const saved = new Map<string, readonly string[]>();
            let workrail = await open();
            try {
              for (const each of steps) {
                await perform(workrail, each, saved);
                if (each.do !== "reopen") continue;
                await workrail.close();
                workrail = await open();
              }
              const live = await Promise.all(SESSIONS.map((id) => liveIn(workrail, id, saved)));
              for (const word of WORDS) {
                const { hits, loose } = await workrail.searchCheckpoints({ query: `"${word}"`, limit: 100 });
                const found = hits.map(({ checkpoint }) => checkpoint.id).toSorted();
                expect([word, found, loose]).toEqual([word, live.flatMap((checkpoints) => newIn(checkpoints, word)).toSorted(), undefined]);
              }
            } finally {
              await workrail.close();
            }
          }),
        ),
        { numRuns: kind === "memory" ? RUNS : 4, seed: 20_260_101 },
      ));

    // `@workrail/search` decides which texts each checkpoint has, so fewer are enough for the index in memory, and in the short form.
    const [saves, most] = !IS_LONG ? [150, 30] : kind === "memory" ? [300, 30] : [1_000, 100];

    it(
      `search finds nearly every word of the latest after ${saves} saves under the limit of ${most}`,
      () =>
        at(async (place) => {
          await using workrail = await place.open({ limits: { maxCheckpoints: most } });
          const notes: string[] = [];
          for (let save = 0; save < saves; save++) {
            notes.push(`note${save}x about topic${save % 37}y`);
            if (notes.length > 2 * most) notes.splice(Math.floor(notes.length / 2), 1);
            await workrail.saveCheckpoint({ sessionId: "a", context: { notes: [...notes] } });
          }
          const terms = new Set(notes.join(" ").match(/\w+[xy]\b/g));
          let found = 0;
          for (const term of terms) found += (await workrail.searchCheckpoints({ query: term, limit: 1 })).hits.length;
          expect(terms.size).toBeGreaterThan(most);
          expect(found / terms.size).toBeGreaterThanOrEqual(0.99);
        }),
      60_000,
    );
  },
);

const CHILD = await bundleProgram(new URL("./saved-then-killed.ts", import.meta.url));
/** Kills at every n-th step, since each try takes a process; `npm run test:faults` tests each. */
const STRIDE = IS_LONG ? 1 : 27;

/**
 * Runs a process that saves twice and dies at a step of indexing the second save. Resolves with the acknowledged ids, and whether the
 * process died.
 */
async function saveAndDie(dataDir: string, fatalStep: number): Promise<{ readonly ids: readonly string[]; readonly died: boolean }> {
  const child = spawn(process.execPath, ["--conditions=@workrail/source", CHILD, dataDir, String(fatalStep)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [told] = await Promise.all([text(child.stdout), once(child, "close")]);
  const died = child.signalCode === "SIGKILL";
  const lines = told.trim().split("\n");
  expect([lines.length, lines.at(-1) === "done"]).toEqual([died ? 2 : 3, !died]);
  return { ids: lines.slice(0, 2), died };
}

describe("a process killed between its answer and the end of indexing", () => {
  it("leaves saves that the next process finds, whatever its last file or index operation was", async () => {
    const dieAt = (fatalStep: number): Promise<boolean> =>
      onDisk(async (place) => {
        const { ids, died } = await saveAndDie(place.dataDir, fatalStep);
        await using workrail = await place.open();
        const { hits, indexPending } = await workrail.searchCheckpoints({ query: "needle" });
        expect([hits.map(({ checkpoint }) => checkpoint.id).toSorted(), indexPending]).toEqual([ids.toSorted(), undefined]);
        return died;
      });
    let fatalStep = 1;
    while (await dieAt(fatalStep)) fatalStep += STRIDE;
    expect(fatalStep).toBeGreaterThan(36);
  }, 600_000);

  it.each([
    ["is gone", (file: string) => fs.rmSync(file)],
    ["is damaged", (file: string) => fs.writeFileSync(file, "no database".repeat(1_000))],
    ["is empty", (file: string) => fs.truncateSync(file)],
  ])("has its saves found although the index %s", (_, harm) =>
    onDisk(async (place) => {
      const first = await place.open();
      const { checkpointId } = await first.saveCheckpoint({ sessionId: "a", context: { note: "needle" } });
      expect((await first.searchCheckpoints({ query: "needle" })).hits).toHaveLength(1);
      await first.close();
      harm(path.join(place.dataDir, "search.db"));
      await using workrail = await place.open();
      const { hits } = await workrail.searchCheckpoints({ query: "needle" });
      expect(hits.map(({ checkpoint }) => checkpoint.id)).toEqual([checkpointId]);
    }),
  );

  it("does not block processes that index the same store at the same time", () =>
    onDisk(async (place) => {
      const stores = await Promise.all([place.open(), place.open(), place.open()]);
      await Promise.all(
        stores.map(async (store, at) => {
          for (let save = 0; save < 10; save++) {
            await store.saveCheckpoint({ sessionId: "shared", context: { note: `needle${at}x${save}` }, force: true });
            await store.searchCheckpoints({ query: "needle" });
          }
        }),
      );
      for (let at = 0; at < 3; at++) {
        for (let save = 0; save < 10; save++) {
          const store = stores[(at + save) % 3] as Workrail;
          expect((await store.searchCheckpoints({ query: `needle${at}x${save}` })).hits).toHaveLength(1);
        }
      }
      for (const store of stores) await store.close();
    }));
});

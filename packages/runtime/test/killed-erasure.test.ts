import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cpSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { bundleProgram } from "@workrail/programs";
import { tally } from "@workrail/storage-conformance/harness";
import { describe, expect, it } from "vitest";
import type { Workrail } from "../src/workrail.ts";
import { onDisk, type Place, refusalOf } from "./stores.ts";
import { newWord, tracesOf } from "./traces.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const CHILD = await bundleProgram(new URL("./erased-then-killed.ts", import.meta.url));
/** `npm run test:faults` sets the variable. */
const KILLS = IS_LONG ? 60 : 3;

const SESSION = "work";
const FILLER = randomBytes(3_000).toString("base64");

interface Saved {
  readonly checkpointId: string;
  readonly context: object;
  readonly words: readonly string[];
}

/** First calls of the next process. */
const FIRST_ANSWERS: Readonly<Record<string, (store: Workrail, gone: Saved) => Promise<unknown>>> = {
  list: (store) => store.findCheckpoints({ project: null }),
  show: (store, { checkpointId }) => store.loadCheckpoint({ checkpointId }).catch(() => undefined),
  status: (store) => store.storeStatus(),
  verify: (store) => store.verifyStore(),
  search: (store, { words: [word = ""] }) => store.searchCheckpoints({ query: word }),
  export: async (store) => {
    for await (const _ of store.exportText(SESSION));
  },
  sessions: (store) => store.listSessions(),
  save: (store) => store.saveCheckpoint({ sessionId: "other", context: { step: 1 } }),
  trash: (store) => store.listTrash(),
};

describe("an erasure in a killed process", () => {
  it(`is finished before any first answer of the next process (${KILLS} kills)`, () =>
    onDisk(async (place) => {
      const saved = await prepare(place);
      const prepared = `${place.dataDir}-prepared`;
      cpSync(place.dataDir, prepared, { recursive: true });
      const gone = saved[2] as Saved;
      const { eraseMs } = await eraseAndDie(place, gone, undefined);
      const failures: unknown[] = [];
      let decided = 0;
      // On a busy machine an erasure may take longer than the one that was timed: then later kills follow.
      for (let kill = 0; kill < KILLS || decided === 0; kill++) {
        rmSync(place.dataDir, { recursive: true });
        cpSync(prepared, place.dataDir, { recursive: true });
        // One kill in each part of the time that an erasure takes, the last ones after its end.
        await eraseAndDie(place, gone, (1.3 * eraseMs * (kill + Math.random())) / KILLS);
        const names = Object.keys(FIRST_ANSWERS);
        const name = names[kill % names.length] as string;
        await using store = await place.open({ upkeep: false });
        await FIRST_ANSWERS[name]?.(store, gone);
        const ids = (await store.findCheckpoints({ project: null })).checkpoints.map(({ id }) => id);
        const isErased = !ids.includes(gone.checkpointId);
        if (isErased) decided += 1;
        const traces = isErased ? tracesOf(place.dataDir, gone.words) : [];
        const wrong = (await unlike(store, isErased ? saved.filter((each) => each !== gone) : saved)).length;
        const { findings } = await store.verifyStore();
        tally({ tries: 1, dangling: traces.length, wrong: wrong + findings.length });
        if (traces.length + wrong + findings.length > 0) failures.push({ name, traces, wrong, findings });
        if (isErased) {
          const { hint } = await refusalOf(store.loadCheckpoint({ checkpointId: gone.checkpointId }));
          if (hint?.includes("No part of it is left") !== true) failures.push({ name, hint });
        }
      }
      expect(failures).toEqual([]);
      expect(decided).toBeGreaterThan(0);
    }));
});

async function prepare(place: Place): Promise<readonly Saved[]> {
  const saved: Saved[] = [];
  await using store = await place.open();
  for (let step = 0; step < 5; step++) {
    const words = Array.from({ length: 4 }, newWord);
    const [key = "", value, name = "", tag = ""] = words;
    const context = { filler: FILLER, [key]: value, step };
    const { checkpointId } = await store.saveCheckpoint({ sessionId: SESSION, context, metadata: { name, tags: [tag] } });
    saved.push({ checkpointId, context, words });
  }
  await store.finishIndex();
  return saved;
}

/**
 * Erases in a process that is killed `afterMs` after it opened the store.
 *
 * @returns the duration of the erasure in a process that is not killed.
 */
async function eraseAndDie(
  { dataDir }: Place,
  { checkpointId }: Saved,
  afterMs: number | undefined,
): Promise<{ readonly eraseMs: number }> {
  const child = spawn(process.execPath, ["--conditions=@workrail/source", CHILD, dataDir, checkpointId], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  let openedAt = 0;
  let eraseMs = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === "erased") eraseMs = performance.now() - openedAt;
    if (line !== "open") continue;
    openedAt = performance.now();
    if (afterMs === undefined) continue;
    await sleep(afterMs);
    child.kill("SIGKILL");
  }
  await closed;
  return { eraseMs };
}

/** Returns the ids of checkpoints that are not restored exactly. */
async function unlike(store: Workrail, all: readonly Saved[]): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { checkpointId, context } of all) {
    const loaded = await store.loadCheckpoint({ checkpointId, isPeek: true }).catch(() => undefined);
    if (JSON.stringify(loaded?.context) !== JSON.stringify(context)) wrong.push(checkpointId);
  }
  return wrong;
}

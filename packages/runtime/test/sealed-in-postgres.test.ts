import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTeamDatabase, noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { bareDatabase } from "@workrail/postgres/test/bare-database";
import { copyStore, migrateStore, openWorkrail, rekeyStoreDeeply, sealStore, unsealStore, type Workrail } from "@workrail/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const missing = noPostgres();
/** Must not be found in any table. */
const PLANTED = "planted7q3z9k2v5x";
const [KEY, OTHER_KEY] = ["4".repeat(64), "6".repeat(64)];

describe.skipIf(missing !== undefined)(`a sealed store in PostgreSQL${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;
  let admin: ReturnType<typeof bareDatabase>;
  let directory: string;
  let store: string;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    const { owner, user } = await createTeamDatabase(server);
    store = user;
    directory = mkdtempSync(path.join(tmpdir(), "workrail-sealed-"));
    await migrateStore({ env: { WORKRAIL_DATA_DIR: directory }, store: owner });
    // A superuser, who sees all rows.
    admin = bareDatabase(new URL(new URL(user).pathname, server.url()).href);
  });
  afterAll(async () => {
    await admin.close();
    await server.destroy();
    rmSync(directory, { recursive: true, force: true });
  });

  const rowsOf = async <Row>(sql: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> => {
    const connection = await admin.connect();
    const rows = await connection.run<Row>({ sql, parameters });
    connection.release(false);
    return rows;
  };
  const envOf = (tenant: string, more: object = {}) => ({
    WORKRAIL_DATA_DIR: path.join(directory, tenant),
    WORKRAIL_STORE: store,
    WORKRAIL_TENANT: tenant,
    ...more,
  });
  const withKey = (tenant: string, more: object = {}) => envOf(tenant, { WORKRAIL_ENCRYPTION_KEY: KEY, ...more });
  const using = async <T>(env: Readonly<Record<string, string>>, work: (workrail: Workrail) => Promise<T>): Promise<T> => {
    await using workrail = await openWorkrail({ env, project: null, upkeep: false });
    return await work(workrail);
  };

  const save = (workrail: Workrail, step: number) =>
    workrail.saveCheckpoint({
      sessionId: "work",
      context: { [`${PLANTED}Key`]: `${PLANTED} ${step}`, filler: Array.from({ length: 50 }, (_, line) => `line ${line}`) },
      metadata: { name: `${PLANTED} ${step}`, tags: [PLANTED] },
      agentId: PLANTED,
    });
  const isFound = async (workrail: Workrail): Promise<boolean> =>
    (await workrail.searchCheckpoints({ query: PLANTED })).hits.length > 0 &&
    (await workrail.findCheckpoints({ tags: [PLANTED], name: PLANTED })).checkpoints.length > 0;

  /** Tables of a tenant that contain the planted text, also in gzipped blobs of this size. */
  async function tablesWithText(tenant: string): Promise<readonly string[]> {
    const tables = await rowsOf<{ readonly name: string }>(
      "select table_name as name from information_schema.columns where table_schema = 'workrail' and column_name = 'tenant_id'",
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await rowsOf<{ readonly row: string }>(`select t::text as row from workrail.${name} t where tenant_id = $1`, [tenant]);
      const isIn = rows.some(({ row }) => row.toLowerCase().includes(PLANTED) || (name === "blob" && row.includes("\\x1f8b")));
      if (isIn) found.push(name);
    }
    return found.toSorted();
  }

  it("is created for a new tenant, keeps no text in clear, and finds all its checkpoints", async () => {
    const env = withKey("new", { WORKRAIL_ENCRYPTION: "enabled" });
    const ids = await using(env, async (workrail) => {
      const saved = [await save(workrail, 1), await save(workrail, 2), await save(workrail, 3)];
      expect(await isFound(workrail)).toBe(true);
      await workrail.upkeep();
      expect((await workrail.storeStatus()).mode).toBe("postgres, sealed");
      return saved.map(({ checkpointId }) => checkpointId);
    });
    expect(await tablesWithText("new")).toEqual([]);
    await using(withKey("new"), async (workrail) => {
      for (const checkpointId of ids) expect((await workrail.loadCheckpoint({ checkpointId })).context).toHaveProperty(`${PLANTED}Key`);
      expect(await isFound(workrail)).toBe(true);
      expect((await workrail.verifyStore()).findings).toEqual([]);
      expect((await workrail.verifyAuditLog()).findings).toEqual([]);
    });
    expect(await tablesWithText("new")).toEqual([]);
    await expect(using(envOf("new", { WORKRAIL_ENCRYPTION_KEY: OTHER_KEY }), isFound)).rejects.toMatchObject({ code: "KEY_UNAVAILABLE" });
    await expect(using(envOf("new"), isFound)).rejects.toMatchObject({ code: "KEY_UNAVAILABLE" });
  });

  it("is sealed with its index, resealed, and opened again", async () => {
    await using(envOf("turned"), async (workrail) => {
      await save(workrail, 1);
      await save(workrail, 2);
      expect(await isFound(workrail)).toBe(true);
    });
    expect(await tablesWithText("turned")).toEqual(expect.arrayContaining(["blob", "checkpoint", "search_document", "search_word"]));
    const env = withKey("turned");
    expect(await sealStore({ env })).toMatchObject({ blobs: 2, unreadable: [] });
    expect(await tablesWithText("turned")).toEqual([]);
    const keyFile = path.join(directory, "new.key");
    writeFileSync(keyFile, OTHER_KEY, { mode: 0o600 });
    expect(await rekeyStoreDeeply({ keyFile }, { env })).toMatchObject({ blobs: 2, unreadable: [] });
    await expect(using(env, isFound)).rejects.toMatchObject({ code: "KEY_UNAVAILABLE" });
    const renewed = envOf("turned", { WORKRAIL_ENCRYPTION_KEY_FILE: keyFile });
    expect(await using(renewed, isFound)).toBe(true);
    expect(await unsealStore({ env: renewed })).toMatchObject({ blobs: 2, unreadable: [] });
    expect(await using(envOf("turned"), isFound)).toBe(true);
    expect(await rowsOf("select * from workrail.key where tenant_id = 'turned'")).toEqual([]);
  });

  it("is copied from a data directory and back, sealed all the way", async () => {
    const [from, back] = [path.join(directory, "from"), path.join(directory, "back")];
    const local = (dataDir: string) => ({ WORKRAIL_DATA_DIR: dataDir, WORKRAIL_ENCRYPTION_KEY: KEY });
    const contextsIn = (env: Readonly<Record<string, string>>) =>
      using(env, async (workrail) => {
        expect((await workrail.verifyAuditLog()).findings).toEqual([]);
        expect(await isFound(workrail)).toBe(true);
        const checkpoints = await workrail.listCheckpoints({ sessionId: "work" });
        return Promise.all(checkpoints.map(async ({ id }) => [id, (await workrail.loadCheckpoint({ checkpointId: id })).context]));
      });
    await using({ ...local(from), WORKRAIL_ENCRYPTION: "enabled" }, async (workrail) => {
      for (let step = 0; step < 5; step++) await save(workrail, step);
    });
    const before = await contextsIn(local(from));
    expect(await copyStore({ from, to: store, env: withKey("copied") })).toMatchObject({ checkpoints: 5, isComplete: true, missing: [] });
    expect(await tablesWithText("copied")).toEqual([]);
    expect(await contextsIn(withKey("copied"))).toEqual(before);
    expect(await copyStore({ to: back, env: withKey("copied") })).toMatchObject({ checkpoints: 5, isComplete: true, missing: [] });
    expect(await contextsIn(local(back))).toEqual(before);
  });

  it("deletes the key of an erased session", async () => {
    const env = withKey("erased", { WORKRAIL_ENCRYPTION: "enabled" });
    const sessionKeys = async () => (await rowsOf("select place from workrail.key where tenant_id = 'erased' and place <> 'store'")).length;
    await using(env, async (workrail) => {
      await save(workrail, 1);
      expect(await sessionKeys()).toBe(1);
      await workrail.erase({ sessionId: "work" });
    });
    expect(await sessionKeys()).toBe(0);
  });

  it("is refused over blobs whose names do not contain their session", async () => {
    await using(envOf("older"), (workrail) => workrail.storeStatus());
    await rowsOf("update workrail.store set names_sessions = false where tenant_id = 'older'");
    await using(envOf("older"), (workrail) => save(workrail, 1));
    const rows = await rowsOf<{ readonly ref: string }>("select ref from workrail.blob where tenant_id = 'older'");
    expect(rows.map(({ ref }) => ref.includes("/"))).toEqual([false]);
    await expect(sealStore({ env: withKey("older") })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await copyStore({ to: path.join(directory, "newer"), env: envOf("older") });
    await copyStore({ from: path.join(directory, "newer"), to: store, env: envOf("newer") });
    expect(await sealStore({ env: withKey("newer") })).toMatchObject({ blobs: 1 });
    expect(await using(withKey("newer"), isFound)).toBe(true);
  });
});

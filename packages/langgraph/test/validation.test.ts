import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { openMemoryStorage } from "@workrail/memory";
import { migrate, openPostgres } from "@workrail/postgres";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import * as vitest from "vitest";
import { WorkrailSaver } from "../src/index.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

// LangGraph's suite expects the runner's functions to be global.
const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } = vitest;
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it });

interface Opened {
  readonly saver: WorkrailSaver;
  readonly workrail: Workrail;
  readonly dataDir: string;
}

/** Runs LangGraph's validation on one kind of store. */
function validateOn(checkpointerName: string, open: (dataDir: string) => Promise<Workrail>): void {
  const opened = new Map<WorkrailSaver, Opened>();
  const initializer = {
    checkpointerName,
    async createCheckpointer() {
      const dataDir = mkdtempSync(path.join(tmpdir(), "workrail-langgraph-"));
      const workrail = await open(dataDir);
      const saver = new WorkrailSaver(workrail);
      opened.set(saver, { saver, workrail, dataDir });
      return saver;
    },
    async destroyCheckpointer(saver: WorkrailSaver) {
      const { workrail, dataDir } = opened.get(saver) as Opened;
      await workrail.close();
      rmSync(dataDir, { recursive: true });
      opened.delete(saver);
    },
  };
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}

const PLAIN = { project: null, upkeep: false } as const;

validateOn("WorkrailSaver on SQLite", (dataDir) => openWorkrail({ ...PLAIN, dataDir, env: {} }));
// The saver does the same over each storage, and the suite is large.
if (IS_LONG) {
  validateOn("WorkrailSaver on files", (dataDir) => openWorkrail({ ...PLAIN, dataDir, env: { WORKRAIL_SQLITE_DRIVER: "none" } }));
  validateOn("WorkrailSaver in memory", (dataDir) => {
    return openWorkrail({ ...PLAIN, dataDir, env: {}, adapters: { storage: () => openMemoryStorage() } });
  });
}

const missing = noPostgres();

describe.skipIf(missing !== undefined)(`a PostgreSQL server${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;
  /** Keeps the connections of this process open between tests. */
  let connected: Awaited<ReturnType<typeof openPostgres>>;
  let stores = 0;
  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    await migrate(server.url());
    connected = await openPostgres({ url: server.url(), tenant: "connected" });
  });
  afterAll(async () => {
    await connected.close();
    await server.destroy();
  });

  validateOn("WorkrailSaver on PostgreSQL", (dataDir) => {
    stores += 1;
    const tenant = `store-${stores}`;
    return openWorkrail({ ...PLAIN, dataDir, env: {}, adapters: { storage: () => openPostgres({ url: server.url(), tenant }) } });
  });
});

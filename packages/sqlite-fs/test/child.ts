// Entry point of a child process, which may be killed at any moment.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { BackupDirectory, type FileSystem, nodeFileSystem } from "@workrail/blob-files";
import type { SessionId } from "@workrail/core";
import type { Task } from "./child-task.ts";
import { growingContext } from "./growing-context.ts";
import { noting } from "./noting-driver.ts";
import { WITH_ONE_MORE } from "./one-more-migration.ts";
import { openDatabase } from "./open-database.ts";
import { failureOf, PATIENT, TestStore, withOpened } from "./test-store.ts";

const fileSystem = process.env["TEST_FILE_SYSTEM"];
const place = fileSystem === undefined ? {} : { unsuitable: () => fileSystem };
const task = JSON.parse(process.argv[2] ?? "") as Task;

switch (task.type) {
  case "save":
    await save(task);
    break;
  case "compact":
    await compact(task);
    break;
  case "open":
    await open(task.dataDir);
    break;
  case "migrate":
    await migrate(task);
    break;
  case "rebuild":
    await rebuild(task);
    break;
  case "backup":
    await backup(task);
    break;
  case "lock":
    await lock(task);
    break;
  case "fill":
    await fill(task.dataDir);
    break;
}

async function save({ dataDir, writer, sessions, most }: Task & { type: "save" }): Promise<void> {
  const store = await TestStore.open(dataDir, { ...PATIENT, ...place });
  const few = await TestStore.open(dataDir, { maxCheckpoints: 3, ...PATIENT, ...place });
  for (let number = 1; number <= most; number++) {
    for (const sessionId of sessions) {
      const target = sessionId === "pruned" ? few : store;
      const { record } = await target.save({ writer, number }, { sessionId: sessionId as SessionId });
      tell(`${sessionId} ${record.id} ${number}`);
    }
  }
  // Keep the store open, so that a test can kill the process with an open store.
  await inputEnds();
  await few.close();
  await store.close();
}

async function compact({ dataDir, writer, sessions, most }: Task & { type: "compact" }): Promise<void> {
  const store = await TestStore.open(dataDir, PATIENT);
  const few = await TestStore.open(dataDir, { maxCheckpoints: 3, ...PATIENT });
  let compacting = Promise.resolve();
  for (let number = 1; number <= most; number++) {
    for (const sessionId of sessions as readonly SessionId[]) {
      const target = sessionId === "pruned" ? few : store;
      const { record } = await target.save(growingContext(writer, number), { sessionId, force: true });
      tell(`${sessionId} ${record.id} ${number}`);
      await compacting;
      compacting = target.compact(sessionId);
    }
  }
  await compacting;
  await few.close();
  await store.close();
}

async function open(dataDir: string): Promise<void> {
  const store = await TestStore.open(dataDir, { lockWaitMs: 20_000 });
  tell((await store.recover()) === undefined ? "opened" : "recovered");
  const { total } = await store.storage.catalog.list({ filter: {}, limit: 1, offset: 0 });
  tell(String(total));
  await inputEnds();
  await store.close();
}

async function migrate({ dataDir, killAt }: Task & { type: "migrate" }): Promise<void> {
  let calls = 0;
  let isMigrating = false;
  const call = (what: string): void => {
    isMigrating ||= what === "BEGIN IMMEDIATE";
    if (isMigrating && (calls += 1) === killAt) process.kill(process.pid, "SIGKILL");
  };
  const store = await TestStore.open(dataDir, {
    migrations: WITH_ONE_MORE,
    lockWaitMs: 20_000,
    openDatabase: noting(openDatabase, call),
    fs: new Proxy(nodeFileSystem, {
      get(files, name: keyof FileSystem) {
        call(name);
        return files[name];
      },
    }),
  });
  tell("opened");
  await inputEnds();
  await store.close();
}

async function rebuild({ dataDir, times }: Task & { type: "rebuild" }): Promise<void> {
  const store = await TestStore.open(dataDir);
  await store.recover();
  tell("opened");
  for (let time = 1; time <= times; time++) {
    await store.rebuild();
    tell(`rebuilt ${time}`);
  }
  await store.close();
}

async function backup({ dataDir, directory, stopAt }: Task & { type: "backup" }): Promise<void> {
  const store = await TestStore.open(dataDir);
  const target = await BackupDirectory.create({ directory, dataDir });
  await store.backup(target, {
    onProgress: ({ phase, done }) => {
      if (done !== stopAt) return;
      tell(phase);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    },
  });
}

async function lock({ file, begin }: Task & { type: "lock" }): Promise<void> {
  const database = openDatabase(file, 1_000);
  database.exec(begin);
  tell("locked");
  await inputEnds();
  database.exec("ROLLBACK");
  database.close();
}

async function fill(dataDir: string): Promise<void> {
  await withOpened(dataDir, async (store) => {
    for (let number = 0; ; number++) {
      try {
        await store.save({ number, noise: randomBytes(30_000).toString("base64") });
      } catch (error) {
        const { code, reason } = await failureOf(Promise.reject(error));
        tell(`${code} ${String(reason)}`);
        tell(JSON.stringify((await store.contextOf())["number"]));
        return;
      }
      tell(String(number));
    }
  });
}

function tell(line: string): void {
  fs.writeSync(1, `${line};\n`);
}

async function inputEnds(): Promise<void> {
  await new Promise((resolve) => process.stdin.on("end", resolve).resume());
}

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";
import { ERROR_CODES, type ErrorCode } from "@workrail/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkrail } from "../src/open-workrail.ts";
import type { Workrail } from "../src/workrail.ts";
import { onDisk, type Place, refusalOf } from "./stores.ts";

const MiB = 1024 * 1024;
const tested = new Set<ErrorCode>();

interface Expected {
  readonly code: ErrorCode;
  readonly [field: string]: unknown;
}

/** Store of all tests whose call only asks: it has one checkpoint, and a refused call changes nothing. */
let asked: Workrail;
let directory: string;

beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-refused-"));
  asked = await openWorkrail({ project: null, dataDir: path.join(directory, "data"), env: {} });
  await saveFirst(asked);
});
afterAll(async () => {
  await asked.close();
  fs.rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
});

function saveFirst(workrail: Workrail): ReturnType<Workrail["saveCheckpoint"]> {
  return workrail.saveCheckpoint({ sessionId: "session", checkpointId: "first", context: { step: 1 } });
}

/** A test that expects a call to a store with one checkpoint to be refused with a code. */
function refused(expected: Expected, what: string, call: (workrail: Workrail) => Promise<unknown>): void {
  tested.add(expected.code);
  it(`${expected.code}: ${what}`, async () => {
    expect(await refusalOf(call(asked))).toMatchObject(refusalWith(expected));
  });
}

/** A test like that of `refused`, with a store of its own, which the call may change. */
function refusedAt(expected: Expected, what: string, call: (workrail: Workrail, place: Place, blobPath: string) => Promise<unknown>): void {
  tested.add(expected.code);
  it(`${expected.code}: ${what}`, () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      const { blobPath } = await saveFirst(workrail);
      expect(await refusalOf(call(workrail, place, blobPath))).toMatchObject(refusalWith(expected));
    }));
}

/** Fields of an expected refusal, with those that each code has. */
function refusalWith({ code, ...fields }: Expected): object {
  return { message: expect.stringMatching(/\.$/), ...fields, code, retryable: ERROR_CODES[code].retryable };
}

const save = (workrail: Workrail, more: object) => workrail.saveCheckpoint({ sessionId: "session", context: { step: 2 }, ...more });

describe("a call is refused with", () => {
  for (const id of ["", "../../x", "a/b", "a\0b", "x".repeat(129), "ä"]) {
    refused({ code: "INVALID_INPUT", details: { field: "checkpointId" } }, `an id that is none: ${JSON.stringify(id)}`, (workrail) =>
      save(workrail, { checkpointId: id }),
    );
  }
  refused({ code: "INVALID_INPUT", details: { field: "sessionId" } }, "a session's id that is none", (workrail) =>
    workrail.loadCheckpoint({ sessionId: "a\u0007b" }),
  );
  refused(
    {
      code: "INVALID_INPUT",
      details: { field: "sesionId" },
      message: 'loadCheckpoint has no parameter "sesionId".',
      hint: expect.stringContaining("sessionId") as string,
    },
    "a parameter that is unknown",
    (workrail) => workrail.loadCheckpoint({ sesionId: "session" } as object),
  );
  refused({ code: "INVALID_INPUT" }, "neither of the two ids of a load", (workrail) => workrail.loadCheckpoint({}));
  refused({ code: "INVALID_INPUT" }, "both ids of a load", (workrail) =>
    workrail.loadCheckpoint({ sessionId: "session", checkpointId: "first" }),
  );
  for (const [what, context] of [
    ["a context that is a list", []],
    ["a context that is nothing", undefined],
    ["a number that JSON has not", { a: [JSON.parse("1e400") as number] }],
    ["a date", { at: new Date(0) }],
    ["an item without a value", { a: [undefined] }],
    ["a function", { a: () => 1 }],
    ["a big integer", { a: 1n }],
    ["a context nested 10,000 levels deep", nested(10_000)],
    ["more than 100,000 keys", Object.fromEntries(Array.from({ length: 100_001 }, (_, index) => [`k${index}`, 0]))],
  ] as const) {
    refused({ code: "INVALID_INPUT" }, what, (workrail) => save(workrail, { context }));
    refused({ code: "INVALID_INPUT" }, `${what}, in a workflow that is new`, (workrail) =>
      save(workrail, { sessionId: undefined, workflowId: "w", context }),
    );
  }
  refused({ code: "INVALID_INPUT", details: { field: "name" } }, "a name with half a surrogate pair", (workrail) =>
    save(workrail, { metadata: { name: "\ud800" } }),
  );
  refused({ code: "INVALID_INPUT" }, "a tag too long", (workrail) => save(workrail, { metadata: { tags: ["x".repeat(201)] } }));
  refused({ code: "INVALID_INPUT" }, "too much metadata", (workrail) =>
    save(workrail, { metadata: { attributes: { note: "x".repeat(20_000) } } }),
  );
  refused({ code: "INVALID_INPUT" }, "metadata that JSON cannot hold", (workrail) =>
    save(workrail, { metadata: { attributes: { note: Number.NaN } } }),
  );
  refused({ code: "INVALID_INPUT", details: { field: "kind" } }, "a kind that there is not", (workrail) =>
    save(workrail, { kind: "other" }),
  );
  refused({ code: "INVALID_INPUT" }, "a key to pin that is no text", (workrail) =>
    workrail.markCritical({ sessionId: "session", contextKey: 1 as never }),
  );
  for (const filter of [{ limit: 0 }, { limit: 101 }, { limit: 1.5 }, { offset: -1 }, { since: "yesterday" }, { until: "" }]) {
    refused({ code: "INVALID_INPUT", details: { field: Object.keys(filter)[0] } }, `the filter ${JSON.stringify(filter)}`, (workrail) =>
      workrail.findCheckpoints(filter),
    );
  }
  refused({ code: "INVALID_INPUT" }, "a range without a value", (workrail) =>
    workrail.viewCheckpoint({ sessionId: "session", range: { offset: 1 } }),
  );
  refused({ code: "INVALID_INPUT" }, "a cursor that is none", (workrail) => workrail.viewCheckpoint({ sessionId: "session", cursor: "x" }));
  refusedAt({ code: "INVALID_INPUT" }, "settings that make no sense", (_, place) => place.open({ env: { WORKRAIL_MAX_DEPTH: "many" } }));

  refused({ code: "CHECKPOINT_NOT_FOUND", details: { checkpointId: "unknown" } }, "an unknown id", (workrail) =>
    workrail.loadCheckpoint({ checkpointId: "unknown" }),
  );
  refused({ code: "CHECKPOINT_NOT_FOUND", details: { checkpointId: "unknown", field: "parentId" } }, "an unknown parent", (workrail) =>
    save(workrail, { parentId: "unknown" }),
  );
  refused({ code: "SESSION_NOT_FOUND", details: { sessionId: "unknown" } }, "an unknown session", (workrail) =>
    workrail.loadCheckpoint({ sessionId: "unknown" }),
  );
  refused({ code: "SESSION_NOT_FOUND" }, "a pin in an unknown session", (workrail) =>
    workrail.markCritical({ sessionId: "unknown", contextKey: "a" }),
  );

  refused(
    { code: "CONFLICT", details: { sessionId: "session", expectedParentId: "other", actualParentId: "first" } },
    "another head than was expected",
    (workrail) => save(workrail, { expectedParentId: "other" }),
  );
  refused({ code: "CONFLICT" }, "a session that was to be new", (workrail) => save(workrail, { expectedParentId: null }));
  refused({ code: "CONFLICT", details: { checkpointId: "first" } }, "an id that names another context", (workrail) =>
    save(workrail, { checkpointId: "first" }),
  );

  refusedAt({ code: "TOO_LARGE" }, "a context over its limit", async (_, place) => {
    await using small = await place.open({ limits: { maxContextBytes: 100 } });
    await save(small, { context: { text: "x".repeat(100) } });
  });
  refusedAt(
    { code: "STORAGE_QUOTA_EXCEEDED", details: { limit: "maxCheckpointBytes", maxCheckpointBytes: MiB } },
    "a checkpoint over its limit, compressed",
    async (_, place) => {
      await using small = await place.open({ limits: { maxCheckpointBytes: MiB } });
      await save(small, { context: { noise: randomBytes(1.1 * MiB).toString("base64") } });
    },
  );

  refusedAt({ code: "CHECKPOINT_CORRUPT" }, "a file that is gone", (workrail, place, blobPath) => {
    fs.rmSync(path.join(place.dataDir, blobPath));
    return workrail.loadCheckpoint({ sessionId: "session" });
  });
  refusedAt({ code: "CHECKPOINT_CORRUPT" }, "a file with one bit changed", (workrail, place, blobPath) => {
    const file = path.join(place.dataDir, blobPath);
    const bytes = fs.readFileSync(file);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 20) ^ 1, bytes.length - 20);
    fs.writeFileSync(file, bytes);
    return workrail.loadCheckpoint({ sessionId: "session" });
  });
  refusedAt({ code: "CHECKPOINT_CORRUPT" }, "a file that holds another checkpoint", async (workrail, place, blobPath) => {
    const other = await workrail.saveCheckpoint({ sessionId: "other", context: { step: 2 } });
    fs.copyFileSync(path.join(place.dataDir, other.blobPath), path.join(place.dataDir, blobPath));
    return workrail.loadCheckpoint({ checkpointId: "first" });
  });
  refusedAt({ code: "UNSUPPORTED_VERSION" }, "a checkpoint of a newer format", (workrail, place, blobPath) => {
    const file = path.join(place.dataDir, blobPath);
    fs.writeFileSync(file, gzipSync(gunzipSync(fs.readFileSync(file)).toString().replace('{"workrail":1', '{"workrail":3')));
    return workrail.loadCheckpoint({ sessionId: "session" });
  });
  refusedAt({ code: "UNSUPPORTED_VERSION" }, "a store of a newer schema", async (workrail, place) => {
    await workrail.close();
    const database = new DatabaseSync(path.join(place.dataDir, "workrail.db"));
    database.exec("PRAGMA user_version = 99; UPDATE meta SET value = 99");
    database.close();
    return place.open();
  });

  refusedAt({ code: "SECRET_FOUND" }, "a password, where secrets may not be saved", async (_, place) => {
    await using careful = await place.open({ env: { WORKRAIL_SECRETS: "block" } });
    await save(careful, { context: { password: ["Winter", "2024!"].join("") } });
  });
  refusedAt({ code: "STORE_IN_USE" }, "a rebuild while another has the store open", async (_, place) => {
    await using impatient = await place.open({ env: { WORKRAIL_LOCK_TIMEOUT_MS: "50" } });
    await impatient.rebuildCatalog();
  });
  refusedAt({ code: "LOCK_TIMEOUT" }, "a save while another keeps the write lock", async (_, place) => {
    await using impatient = await place.open({ env: { WORKRAIL_LOCK_TIMEOUT_MS: "50" } });
    const release = await holdWriteLock(path.join(place.dataDir, "workrail.db"));
    await save(impatient, {}).finally(release);
  });
  refusedAt(
    { code: "RATE_LIMITED", details: { perMinute: 1, burst: 2 } },
    "the third save in a row of a project that may save once a minute",
    async (_, place) => {
      await using limited = await place.open({ env: { RATE_LIMIT_CHECKPOINT_SAVE: "1" } });
      const draft = { summary: "s", projectPath: path.dirname(place.dataDir), isRateLimited: true };
      for (let saves = 1; saves <= 3; saves++) await limited.projectCheckpoints.create(draft);
    },
  );
  refusedAt({ code: "STORAGE_UNAVAILABLE", details: { reason: "wrong-kind-of-file" } }, "a data directory that is a file", (_, place) =>
    place.open({ dataDir: path.join(place.dataDir, "workrail.lock") }),
  );

  refusedAt({ code: "READ_ONLY" }, "a save to a store that is only read", async (_workrail, place) => {
    await using reader = await place.open({ readOnly: true });
    await save(reader, {});
  });
  refusedAt({ code: "KEY_UNAVAILABLE" }, "a key that is none", async (workrail, place) => {
    await workrail.close();
    return place.open({ env: { WORKRAIL_ENCRYPTION: "enabled", WORKRAIL_ENCRYPTION_KEY: "no key" } });
  });
  refusedAt({ code: "PLAINTEXT_REFUSED" }, "an export of a sealed store", async (workrail, place) => {
    await workrail.close();
    const env = { WORKRAIL_ENCRYPTION: "enabled", WORKRAIL_ENCRYPTION_KEY: "0".repeat(64) };
    await using sealed = await place.open({ env });
    await sealed.exportSession("session");
  });

  it("every code except INTERNAL", () => {
    expect([...tested, "INTERNAL"].sort()).toEqual(Object.keys(ERROR_CODES).sort());
  });
});

describe("after a refusal", () => {
  it("the next call works, and the refused call leaves no data", () =>
    onDisk(async (place) => {
      await using workrail = await place.open({ limits: { maxCheckpointBytes: 1_000 } });
      await workrail.saveCheckpoint({ sessionId: "session", context: { step: 1 } });
      for (const context of [{ noise: randomBytes(5_000).toString("hex") }, nested(200), { a: Number.NaN }]) {
        await refusalOf(workrail.saveCheckpoint({ sessionId: "session", context }));
        await refusalOf(workrail.saveCheckpoint({ sessionId: "new", context }));
      }
      expect(await workrail.saveCheckpoint({ sessionId: "session", context: { step: 2 } })).toMatchObject({ status: "SAVED" });
      expect(await workrail.collectGarbage()).toEqual({ blobs: 0, quarantined: 0, abandoned: 0 });
      expect((await workrail.findCheckpoints({ project: null })).total).toBe(2);
    }));

  it("a context over the limit of a checkpoint that compresses well is saved", () =>
    onDisk(async (place) => {
      await using workrail = await place.open({ limits: { maxCheckpointBytes: MiB } });
      const context = { text: "all work and no play ".repeat(60_000) };
      const { sizeBytes } = await workrail.saveCheckpoint({ sessionId: "session", context });
      expect(sizeBytes).toBeLessThan(MiB);
      expect((await workrail.loadCheckpoint({ sessionId: "session" })).context).toEqual(context);
    }));
});

/** Runs in another process: in this one the locks of the two libraries would not see each other. */
async function holdWriteLock(file: string): Promise<() => void> {
  const script = `new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec("BEGIN IMMEDIATE"); console.log("held"); setInterval(() => {}, 1000)`;
  const holder = spawn(process.execPath, ["-e", script, file], { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout, "data");
  return () => void holder.kill("SIGKILL");
}

function nested(levels: number): object {
  let value: object = {};
  for (let level = 1; level < levels; level++) value = { value };
  return value;
}

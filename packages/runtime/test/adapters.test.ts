import fs from "node:fs";
import path from "node:path";
import { type Codec, type Storage, WorkrailError } from "@workrail/core";
import { SequentialIds, SteppingClock, tokensCounted } from "@workrail/storage-conformance/builders";
import { openMemoryStorage } from "@workrail/memory";
import { describe, expect, it } from "vitest";
import type { Adapters } from "../src/container.ts";
import { nodeDigests } from "../src/environment.ts";
import { openWorkrail } from "../src/open-workrail.ts";
import type { Settings } from "../src/settings.ts";
import { onDisk, refusalOf } from "./stores.ts";

/** Error of the container for an invalid part. */
const NOT_WIRED = "TypeInfo not known";

describe("the options of a store", () => {
  it.each([
    [null, "options"],
    [{ dataDir: 5 }, "dataDir"],
    [{ fallback: "Memory" }, "fallback"],
    [{ readOnly: "false" }, "readOnly"],
    [{ limits: { maxBogus: 1 } }, "limits.maxBogus"],
    [{ limits: 5 }, "limits"],
    [{ adapters: { storge: 1 } }, "adapters.storge"],
    [{ adapters: null }, "adapters"],
  ])("are refused when they are invalid: %j", (options, field) =>
    onDisk(async ({ dataDir }) => {
      const given = options === null ? options : { dataDir, env: {}, project: null, ...options };
      const refusal = await refusalOf(openWorkrail(given as never));
      expect(refusal).toMatchObject({ code: "INVALID_INPUT", details: { field } });
      expect(fs.existsSync(dataDir)).toBe(false);
    }),
  );
});

describe("a program's own parts", () => {
  it("replace the built-in parts", () =>
    onDisk(async ({ dataDir }) => {
      const used = new Set<string>();
      let given: Settings | undefined;
      const clock = new SteppingClock();
      const codec: Codec = {
        id: "plain",
        encode: async (bytes) => {
          used.add("encode");
          return bytes;
        },
        decode: async (bytes) => {
          used.add("decode");
          return bytes;
        },
      };
      const workrail = await openWorkrail({
        dataDir,
        env: {},
        project: null,
        adapters: {
          storage: (settings) => {
            given = settings;
            return openMemoryStorage();
          },
          codec,
          clock,
          ids: new SequentialIds(),
          digests: {
            sha256: (data) => {
              used.add("digests");
              return nodeDigests.sha256(data);
            },
          },
          tokens: tokensCounted((text) => {
            used.add("tokens");
            return text.length;
          }),
        },
      });
      const saved = await workrail.saveCheckpoint({ context: { text: "x".repeat(50_000) } });
      expect(saved).toMatchObject({
        sessionId: "00000000-5e55-4000-8000-000000000001",
        createdAt: "2026-01-01T00:00:00.000Z",
        durability: "memory",
      });
      await workrail.viewCheckpoint({ sessionId: saved.sessionId });
      expect([...used].sort()).toEqual(["decode", "digests", "encode", "tokens"]);
      expect(given?.dataDir).toBe(dataDir);
      expect(workrail.dataDir).toBeUndefined();
      expect(fs.existsSync(dataDir)).toBe(false);
      await workrail.close();
    }));

  it("are separate from the parts of another store in the same process", () =>
    onDisk(async (place) => {
      await using memory = await openWorkrail({ env: {}, project: null, adapters: { storage: () => openMemoryStorage() } });
      await using disk = await place.open();
      await memory.saveCheckpoint({ sessionId: "session", context: { where: "memory" } });
      expect(await disk.listCheckpoints({ sessionId: "session" })).toEqual([]);
      expect([memory.durability, disk.durability]).toEqual(["memory", "disk"]);
    }));

  it("are closed when opening fails", async () => {
    let isClosed = false;
    const storage = (): Storage => {
      const opened = openMemoryStorage();
      return {
        ...opened,
        recovery: Object.assign(Object.create(opened.recovery) as Storage["recovery"], {
          state: () => Promise.reject(new Error("broken")),
        }),
        close: async () => {
          isClosed = true;
        },
      };
    };
    await expect(openWorkrail({ env: {}, adapters: { storage } })).rejects.toThrow("broken");
    expect(isClosed).toBe(true);
  });

  it("are all closed when another part is invalid", async () => {
    let [opened, closed] = [0, 0];
    const storage = (): Storage => {
      opened += 1;
      return { ...openMemoryStorage(), close: async () => void (closed += 1) };
    };
    // An untyped program may write null for "none".
    const adapters = { storage, clock: null } as unknown as Adapters;
    for (const fallback of ["fail", "memory"] as const) {
      await expect(openWorkrail({ env: {}, adapters, fallback })).rejects.toThrow(NOT_WIRED);
    }
    expect([opened, closed]).toEqual([2, 2]);
  });

  it("start no search for the disk when memory cannot replace it", async () => {
    let looking = 0;
    const repeat: Adapters["repeat"] = () => {
      looking += 1;
      return () => void (looking -= 1);
    };
    const storage = (): never => {
      throw new WorkrailError("STORAGE_UNAVAILABLE", "It is away.");
    };
    const adapters = { storage, repeat, clock: null } as unknown as Adapters;
    await expect(openWorkrail({ env: {}, adapters, fallback: "memory" })).rejects.toThrow(NOT_WIRED);
    expect(looking).toBe(0);
  });
});

describe("opening", () => {
  it("takes the project from the working directory, or from the environment", () =>
    onDisk(async (place) => {
      const repository = path.join(path.dirname(place.dataDir), "repository");
      fs.mkdirSync(path.join(repository, ".git"), { recursive: true });
      fs.mkdirSync(path.join(repository, "src"));
      const projectOf = async (options: Parameters<typeof openWorkrail>[0]): Promise<unknown> => {
        await using workrail = await openWorkrail({ env: {}, dataDir: place.dataDir, ...options });
        const { checkpointId } = await workrail.saveCheckpoint({ context: {} });
        return (await workrail.loadCheckpoint({ checkpointId })).metadata.project;
      };
      expect(await projectOf({ cwd: path.join(repository, "src") })).toBe(repository);
      expect(await projectOf({ cwd: path.join(repository, "src"), env: { WORKRAIL_PROJECT: path.resolve("/set") } })).toBe(
        path.resolve("/set"),
      );
      expect(await projectOf({ cwd: path.join(repository, "src"), project: "/given" })).toBe("/given");
      expect(await projectOf({ cwd: path.join(repository, "src"), project: null })).toBeUndefined();
      expect(await projectOf({ cwd: path.parse(repository).root })).toBeUndefined();
    }));

  it("takes the data directory from the environment, and refuses wrong settings before it creates one", () =>
    onDisk(async (place) => {
      const env = { WORKRAIL_DATA_DIR: place.dataDir };
      expect((await refusalOf(openWorkrail({ env: { ...env, WORKRAIL_ENCRYPTION: "on" } }))).details).toEqual({
        field: "WORKRAIL_ENCRYPTION",
      });
      expect(fs.existsSync(place.dataDir)).toBe(false);
      await using workrail = await openWorkrail({ env, project: null });
      expect(workrail.dataDir).toBe(place.dataDir);
    }));

  it("applies the limits of the environment", () =>
    onDisk(async (place) => {
      await using workrail = await place.open({ env: { WORKRAIL_MAX_CHECKPOINTS: "1", WORKRAIL_MAX_DEPTH: "2" } });
      await workrail.saveCheckpoint({ sessionId: "session", context: { step: 1 } });
      expect(await workrail.saveCheckpoint({ sessionId: "session", context: { step: 2 } })).toMatchObject({ pruned: 1 });
      expect((await refusalOf(workrail.saveCheckpoint({ sessionId: "session", context: { a: { b: {} } } }))).code).toBe("INVALID_INPUT");
    }));
});

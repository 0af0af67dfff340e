import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Child } from "./child-process.ts";
import { proveFiles } from "./prove-files.ts";
import { SESSION, TestStore, withDirectory, withOpened } from "./test-store.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

/** `npm run test:faults` starts more. */
const PROCESSES = IS_LONG ? 16 : 4;

describe(`${PROCESSES} processes`, () => {
  let children: readonly Child[] = [];
  const start = (task: Parameters<typeof Child.start>[0]): readonly Child[] => {
    children = Array.from({ length: PROCESSES }, () => Child.start(task));
    return children;
  };

  afterEach(async () => {
    await Promise.all(children.map((child) => child.kill()));
  });

  it("saving to one session: all acknowledged saves are there, with sequences without gaps", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      const saves = start({ type: "save", dataDir, writer: "one of them", sessions: [SESSION], most: 15 });
      const ids = (await Promise.all(saves.map((child) => child.done()))).flat().map((line) => line.split(" ")[1] ?? "");
      const { contexts, sequences } = proveFiles(dataDir);
      // A process that saves the same context as another one gets the other's checkpoint.
      expect([...contexts.keys()].sort()).toEqual([...new Set(ids)].sort());
      expect(ids).toHaveLength(PROCESSES * 15);
      expect(sequences.get(SESSION)?.[0]).toBe(1);
    }));

  it("opening a store that is not there yet: all open it", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      const opening = start({ type: "open", dataDir });
      expect(await Promise.all(opening.map((child) => child.told(2)))).toEqual(Array(PROCESSES).fill("0"));
      expect(opening.flatMap((child) => child.lines[0])).toEqual(Array(PROCESSES).fill("opened"));
      await Promise.all(opening.map((child) => child.done()));
    }));

  it("opening a store whose database was deleted: one rebuilds it, and all find everything", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      await withOpened(dataDir, async (store) => {
        for (let number = 1; number <= 30; number++) await store.save({ number });
      });
      fs.rmSync(path.join(dataDir, "workrail.db"));
      const opening = start({ type: "open", dataDir });
      expect(await Promise.all(opening.map((child) => child.told(2)))).toEqual(Array(PROCESSES).fill("30"));
      expect(opening.filter((child) => child.lines[0] === "recovered")).toHaveLength(1);
      await Promise.all(opening.map((child) => child.done()));
      expect(proveFiles(dataDir).sequences.get(SESSION)).toHaveLength(30);
    }));

  it("saving while one of them repeatedly holds the exclusive lock: nothing is lost", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      const store = await TestStore.open(dataDir);
      await store.save({ number: 0 });
      await store.close();
      const rebuilder = Child.start({ type: "rebuild", dataDir, times: 3 });
      const savers = [1, 2].map((number) =>
        Child.start({ type: "save", dataDir, writer: `writer ${number}`, sessions: [SESSION], most: 10 }),
      );
      const lines = (await Promise.all(savers.map((child) => child.done()))).flat();
      await rebuilder.kill();
      await withOpened(dataDir, async (opened) => {
        await opened.recover();
      });
      const { contexts } = proveFiles(dataDir);
      for (const line of lines) expect(contexts.has(line.split(" ")[1] ?? "")).toBe(true);
      expect(contexts.size).toBe(21);
    }));
});

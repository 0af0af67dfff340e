import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { SessionId } from "../model/ids.ts";
import { ProcessLocking } from "./process-locking.ts";

const A = "a" as SessionId;
const B = "b" as SessionId;

/** Work that a test starts and ends. */
class Work {
  static log: string[] = [];
  readonly #name: string;
  end!: () => void;
  fail!: (error: Error) => void;
  readonly #outcome: Promise<void>;

  constructor(name: string) {
    this.#name = name;
    this.#outcome = new Promise((resolve, reject) => {
      this.end = resolve;
      this.fail = reject;
    });
  }

  readonly run = async (): Promise<string> => {
    Work.log.push(`${this.#name} begins`);
    await this.#outcome;
    Work.log.push(`${this.#name} ends`);
    return this.#name;
  };
}

function begin(...names: string[]): Work[] {
  Work.log = [];
  return names.map((name) => new Work(name));
}

/** Lets everything that can proceed do so. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

it("runs the work of a session in the order of the calls, one at a time", async () => {
  const locking = new ProcessLocking();
  const [one, two, three] = begin("one", "two", "three") as [Work, Work, Work];
  const all = [locking.inOrder(A, one.run), locking.inOrder(A, two.run), locking.inOrder(A, three.run)];
  three.end();
  two.end();
  await settle();
  expect(Work.log).toEqual(["one begins"]);
  one.end();
  expect(await Promise.all(all)).toEqual(["one", "two", "three"]);
  expect(Work.log).toEqual(["one begins", "one ends", "two begins", "two ends", "three begins", "three ends"]);
});

it("runs the work of different sessions side by side", async () => {
  const locking = new ProcessLocking();
  const [one, other] = begin("one", "other") as [Work, Work];
  const all = [locking.inOrder(A, one.run), locking.inOrder(B, other.run), locking.shared(other.run)];
  await settle();
  expect(Work.log).toEqual(["one begins", "other begins", "other begins"]);
  one.end();
  other.end();
  await Promise.all(all);
});

it("continues after work that failed", async () => {
  const locking = new ProcessLocking();
  const failing = locking.inOrder(A, async () => {
    throw new Error("no");
  });
  const throwing = locking.inOrder(A, () => {
    throw new Error("not even a promise");
  });
  const alone = locking.exclusively(async () => {
    throw new Error("nor this");
  });
  const last = locking.inOrder(A, async () => "done");
  await expect(failing).rejects.toThrow("no");
  await expect(throwing).rejects.toThrow("not even a promise");
  await expect(alone).rejects.toThrow("nor this");
  expect(await last).toBe("done");
  expect(await locking.exclusively(async () => "alone again")).toBe("alone again");
});

it("runs exclusive work after all running work, and starts nothing meanwhile", async () => {
  const locking = new ProcessLocking();
  const [inside, ordered, alone, after] = begin("inside", "ordered", "alone", "after") as [Work, Work, Work, Work];
  const all = [
    locking.shared(inside.run),
    locking.inOrder(A, ordered.run),
    locking.exclusively(alone.run),
    locking.shared(after.run),
    locking.inOrder(A, after.run),
  ];
  inside.end();
  await settle();
  expect(Work.log).toEqual(["inside begins", "ordered begins", "inside ends"]);
  ordered.end();
  await settle();
  expect(Work.log.slice(3)).toEqual(["ordered ends", "alone begins"]);
  alone.end();
  after.end();
  await Promise.all(all);
  expect(Work.log.slice(5, 6)).toEqual(["alone ends"]);
});

it("keeps the order of a session that waited for exclusive work", async () => {
  const locking = new ProcessLocking();
  const [alone] = begin("alone") as [Work];
  const first = locking.exclusively(alone.run);
  const order: number[] = [];
  const waiting = [1, 2, 3].map((number) => locking.inOrder(A, async () => order.push(number)));
  alone.end();
  await Promise.all([first, ...waiting]);
  expect(order).toEqual([1, 2, 3]);
});

it("never runs other work during exclusive work, and starves no work", async () => {
  const step = fc.record({ how: fc.constantFrom("a", "b", "shared", "alone"), turns: fc.nat(3), fails: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const locking = new ProcessLocking();
      const order: Record<string, number[]> = { a: [], b: [] };
      let inside = 0;
      let isAlone = false;
      const violations: string[] = [];
      const started = steps.map(({ how, turns, fails }, index) => {
        const work = async (): Promise<void> => {
          if (isAlone || (how === "alone" && inside > 0)) violations.push(`${how} ${index}`);
          inside += 1;
          isAlone = how === "alone";
          order[how]?.push(index);
          for (let turn = 0; turn < turns; turn++) await Promise.resolve();
          inside -= 1;
          if (how === "alone") isAlone = false;
          if (fails) throw new Error("failed");
        };
        if (how === "alone") return locking.exclusively(work);
        return how === "shared" ? locking.shared(work) : locking.inOrder(how as SessionId, work);
      });
      const results = await Promise.allSettled(started);
      expect(violations).toEqual([]);
      expect(results.map(({ status }) => status === "rejected")).toEqual(steps.map(({ fails }) => fails));
      for (const indexes of Object.values(order)) expect(indexes).toEqual(indexes.toSorted((left, right) => left - right));
    }),
    { numRuns: 300 },
  );
});

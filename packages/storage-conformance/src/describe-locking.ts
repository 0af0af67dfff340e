import type { Locking } from "@workrail/core";
import { describe, expect, it } from "vitest";
import type { StorageHarness } from "./harness.ts";
import { provided, withStore } from "./store-under-test.ts";
import { randomIds } from "./environment.ts";
import { codeOf, Workbench } from "./workbench.ts";

/** Tests locking: work of a session runs in the order of the calls, and exclusive work runs alone. */
export function describeLocking(harness: StorageHarness): void {
  const onStore = (test: (locking: Locking) => Promise<void>) => () => withStore(harness, ({ storage }) => test(storage.locking));

  describe(`${harness.name}: locking`, () => {
    it(
      "runs the work of a session one call at a time, in the order of the calls",
      onStore(async (locking) => {
        const session = randomIds.sessionId();
        const events: string[] = [];
        const names = ["a", "b", "c", "d"];
        const results = await Promise.all(
          names.map((name, index) =>
            locking.inOrder(session, async () => {
              events.push(`${name} begins`);
              // The first calls take longest, so only waiting keeps the order.
              await turns(20 - index * 5);
              events.push(`${name} ends`);
              return name;
            }),
          ),
        );
        expect(results).toEqual(names);
        expect(events).toEqual(names.flatMap((name) => [`${name} begins`, `${name} ends`]));
      }),
    );

    it(
      "runs the work of different sessions concurrently",
      onStore(async (locking) => {
        const meeting = meetingOf(2);
        const sessions = [randomIds.sessionId(), randomIds.sessionId()];
        expect(await Promise.all(sessions.map((session) => locking.inOrder(session, meeting)))).toEqual(["met", "met"]);
      }),
    );

    it(
      "rejects only the call that fails, and continues with the next",
      onStore(async (locking) => {
        const session = randomIds.sessionId();
        const failing = locking.inOrder(session, () => Promise.reject(new Error("of the work")));
        const next = locking.inOrder(session, async () => "done");
        await expect(failing).rejects.toThrow("of the work");
        expect(await next).toBe("done");
        await expect(locking.shared(() => Promise.reject(new Error("of the reader")))).rejects.toThrow("of the reader");
        await expect(locking.exclusively(() => Promise.reject(new Error("of the one alone")))).rejects.toThrow("of the one alone");
        expect(await locking.shared(async () => "still open")).toBe("still open");
      }),
    );

    it(
      "runs shared work concurrently",
      onStore(async (locking) => {
        const meeting = meetingOf(3);
        expect(await Promise.all([1, 2, 3].map(() => locking.shared(meeting)))).toEqual(["met", "met", "met"]);
      }),
    );

    it(
      "runs exclusive work after earlier work and before later work",
      onStore(async (locking) => {
        const events: string[] = [];
        const note = (name: string) => async () => {
          events.push(`${name} begins`);
          await turns(10);
          events.push(`${name} ends`);
        };
        const session = randomIds.sessionId();
        const before = locking.shared(note("before"));
        const alone = locking.exclusively(note("alone"));
        const after = [locking.shared(note("reader")), locking.inOrder(session, note("save"))];
        await Promise.all([before, alone, ...after]);
        expect(events.slice(0, 4)).toEqual(["before begins", "before ends", "alone begins", "alone ends"]);
        expect(events).toHaveLength(8);
      }),
    );

    it(
      "runs no exclusive work during ordered work",
      onStore(async (locking) => {
        const events: string[] = [];
        const ordered = locking.inOrder(randomIds.sessionId(), async () => {
          await turns(10);
          events.push("ordered ends");
        });
        const alone = locking.exclusively(async () => events.push("alone begins"));
        await Promise.all([ordered, alone]);
        expect(events).toEqual(["ordered ends", "alone begins"]);
      }),
    );

    it("lets an erasure finish while exclusive work waits", () =>
      withStore(harness, async ({ storage }) => {
        const bench = new Workbench(storage);
        const sessionId = randomIds.sessionId();
        await bench.save({ sessionId, context: { number: 1 } });
        const [{ erased }] = await Promise.all([bench.erase({ sessionIds: [sessionId] }), storage.locking.exclusively(turns)]);
        expect(erased).toHaveLength(1);
      }));

    it(
      "runs several pieces of exclusive work one after another",
      onStore(async (locking) => {
        let inside = 0;
        const work = async (): Promise<number> => {
          inside += 1;
          await turns(5);
          const seen = inside;
          inside -= 1;
          return seen;
        };
        expect(await Promise.all([1, 2, 3].map(() => locking.exclusively(work)))).toEqual([1, 1, 1]);
      }),
    );

    provided(harness.capabilities.manyOpeners, "several openers: only one may have a store open", () => {
      it("refuses exclusive work while another opener has the store open, and allows it afterwards", () =>
        withStore(harness, async (store) => {
          const another = await store.openAnother();
          expect(await codeOf(store.storage.locking.exclusively(async () => "alone"))).toBe("STORE_IN_USE");
          expect(await store.storage.locking.shared(async () => "still shared")).toBe("still shared");
          await another.close();
          expect(await store.storage.locking.exclusively(async () => "alone")).toBe("alone");
        }));

      it("prevents opening during exclusive work", () =>
        withStore(harness, async (store) => {
          const events: string[] = [];
          const begun = Promise.withResolvers<void>();
          const alone = store.storage.locking.exclusively(async () => {
            begun.resolve();
            await new Promise((resolve) => setTimeout(resolve, 100));
            events.push("alone ends");
          });
          await begun.promise;
          // An adapter may wait or refuse.
          const opening = store.openAnother().then(
            () => events.push("opened"),
            () => events.push("refused"),
          );
          await Promise.all([alone, opening]);
          expect(events[0]).not.toBe("opened");
        }));
    });
  });
}

/** Yields to the event loop `count` times. */
async function turns(count = 1): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

/** Returns work that ends only when `size` calls run at the same time. */
function meetingOf(size: number): () => Promise<"met"> {
  const complete = Promise.withResolvers<"met">();
  let present = 0;
  return () => {
    present += 1;
    if (present === size) complete.resolve("met");
    return complete.promise;
  };
}

import { describe, expect, it } from "vitest";
import type { Workrail } from "../src/workrail.ts";
import { withFailingDisk } from "./failing-disk.ts";
import { KINDS, onDisk, refusalOf } from "./stores.ts";

const SESSION = { sessionId: "session" };

async function latest(workrail: Workrail): Promise<object> {
  return (await workrail.loadCheckpoint(SESSION)).context;
}

describe.each(KINDS)("contexts given by the caller ($kind)", ({ at }) => {
  it("are saved as they were at the call, even when the state is unchanged", () =>
    at(async (place) => {
      await using workrail = await place.open();
      await workrail.saveCheckpoint({ ...SESSION, context: { step: 1 } });
      const context = { step: 1 };
      // Only the phase is new, so the unchanged state is saved again.
      const saving = workrail.saveCheckpoint({ ...SESSION, context, phase: "plan" });
      context.step = 2;
      expect((await saving).status).toBe("SAVED");
      expect(await latest(workrail)).toEqual({ step: 1 });
    }));

  it("are compressed and prioritized as they were at the call, and so is the kept original", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const context = { goal: "one", debugLog: "tick ".repeat(400) };
      const shaping = [
        workrail.compressContext({ ...SESSION, context, budgetTokens: 200 }),
        workrail.prioritizeContext({ ...SESSION, context, budgetTokens: 200 }),
      ];
      context.goal = "two";
      for (const shaped of await Promise.all(shaping)) {
        expect(shaped.context).toMatchObject({ goal: "one" });
        const { context: original } = await workrail.loadCheckpoint({ checkpointId: String(shaped.checkpointId) });
        expect(original).toEqual({ goal: "one", debugLog: "tick ".repeat(400) });
      }
    }));

  it("lose members that are undefined, as in JSON.stringify, and are refused with undefined in an array", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const context = { goal: "one", owner: undefined, steps: [{ name: "a", note: undefined }] };
      await workrail.saveCheckpoint({ ...SESSION, context, metadata: { attributes: { labels: { a: 1, b: undefined } } } });
      expect(JSON.stringify(await latest(workrail))).toBe('{"goal":"one","steps":[{"name":"a"}]}');
      expect((await workrail.loadCheckpoint(SESSION)).metadata).toMatchObject({ attributes: { labels: { a: 1 } } });
      expect((await workrail.saveCheckpoint({ ...SESSION, context: JSON.parse(JSON.stringify(context)) as object })).status).toBe(
        "SKIPPED_UNCHANGED",
      );
      await workrail.saveCheckpoint({ ...SESSION, patch: { set: { owner: undefined, more: { deep: undefined } } } });
      expect(JSON.stringify(await latest(workrail))).toBe('{"goal":"one","steps":[{"name":"a"}],"more":{}}');
      const shaped = await workrail.compressContext({ context, budgetTokens: 500 });
      expect(JSON.stringify(shaped.context)).not.toContain("owner");
      const refused = await refusalOf(workrail.saveCheckpoint({ ...SESSION, context: { steps: [undefined] } }));
      expect(refused).toMatchObject({ code: "INVALID_INPUT", hint: expect.stringContaining("null") });
    }));

  it("keep every key in order, whatever its name", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const text = '{"z":1,"__proto__":{"__proto__":[{"b":-0,"a":null}]},"1":"","constructor":{}}';
      await workrail.saveCheckpoint({ ...SESSION, context: JSON.parse(text) as object });
      const expected = JSON.stringify(JSON.parse(text));
      expect(JSON.stringify(await latest(workrail))).toBe(expected);
    }));
});

describe("when memory may replace the disk", () => {
  it("saves a context as it was at the call, on the disk and in memory", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      for (const writing of [undefined, "EIO", "EIO"]) {
        disk.writing = writing;
        const context = { step: 1, writing: writing ?? "" };
        const metadata = { name: "before", tags: ["before"], attributes: { note: { of: "before" } } };
        const saving = workrail.saveCheckpoint({ ...SESSION, context, metadata, force: true }).catch(() => undefined);
        context.step = 2;
        metadata.name = "after";
        metadata.tags[0] = "after";
        metadata.attributes.note.of = "after";
        await saving;
        const loaded = await workrail.loadCheckpoint(SESSION);
        expect(loaded).toMatchObject({
          context: { step: 1 },
          metadata: { name: "before", tags: ["before"], attributes: { note: { of: "before" } } },
        });
      }
      disk.writing = undefined;
    }));

  it("refuses calls without parameters, with and without the disk", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      for (const writing of [undefined, "EIO"]) {
        disk.writing = writing;
        if (writing !== undefined) await refusalOf(workrail.saveCheckpoint({ ...SESSION, context: { step: 1 } }));
        const none = undefined as never;
        for (const call of [
          workrail.saveCheckpoint(none),
          workrail.compressContext(none),
          workrail.prioritizeContext(none),
          workrail.markCritical(none),
          workrail.deleteCheckpoint(none),
          workrail.erase(none),
        ]) {
          expect(await refusalOf(call)).toMatchObject({ code: "INVALID_INPUT", details: { field: "params" } });
        }
      }
      disk.writing = undefined;
    }));
});

it("refuses values that are not JSON before it copies them", () =>
  onDisk(async (place) => {
    await using workrail = await place.open();
    const loop: Record<string, unknown> = {};
    loop["loop"] = loop;
    for (const context of [loop, { at: new Date() }, null as never, [] as never]) {
      expect((await refusalOf(workrail.saveCheckpoint({ ...SESSION, context }))).code).toBe("INVALID_INPUT");
      expect((await refusalOf(workrail.prioritizeContext({ ...SESSION, context, dryRun: true }))).code).toBe("INVALID_INPUT");
    }
  }));

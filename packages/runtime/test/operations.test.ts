import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../src/facets/operations.ts";
import type { MethodWithParams } from "../src/param-fields.ts";
import type { Operations, Workrail } from "../src/workrail.ts";
import { obstruct, withFailingDisk } from "./failing-disk.ts";
import { onDisk, refusalOf } from "./stores.ts";

const NAMES = Object.keys(OPERATIONS) as (keyof Operations)[];
const WITH_PARAMS = NAMES.filter((name): name is keyof Operations & MethodWithParams => OPERATIONS[name].params !== undefined);
const ON_DISK = NAMES.filter((name) => ["disk", "whole session", "whole store"].includes(OPERATIONS[name].needs));

/** Calls a method with named parameters, after the arguments that precede them. */
async function call(workrail: Workrail, name: keyof Operations, params: object): Promise<unknown> {
  const method = workrail[name] as (...args: readonly unknown[]) => unknown;
  const answer = method(...(OPERATIONS[name].params?.at === 0 ? [] : ["session"]), params);
  return Symbol.asyncIterator in Object(answer) ? (answer as AsyncGenerator).next() : answer;
}

describe("an operation of the library", () => {
  it.each(WITH_PARAMS)("refuses a parameter that it does not have: %s", (name) =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      expect(await refusalOf(call(workrail, name, { sesionId: "s" }))).toMatchObject({
        code: "INVALID_INPUT",
        message: `${name} has no parameter "sesionId".`,
        details: { field: "sesionId" },
      });
    }),
  );

  it.each([
    ["searchCheckpoints", "kinds", { query: "goal", kinds: "workflow" }],
    ["findCheckpoints", "kind", { kind: ["workflow"] }],
    ["eachCheckpoint", "kind", { kind: "workfow" }],
    ["resumeWork", "since", { since: 5 }],
    ["resumeWork", "cwd", { sessionId: "s", cwd: 5 }],
    ["auditLog", "actions", { actions: "save" }],
    ["auditLog", "before", { before: {} }],
    ["verifyAuditLog", "expected", { expected: Object.create(null) }],
  ] as const)("refuses a value of the wrong type: %s with %s", (name, field, params) =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      await workrail.saveCheckpoint({ sessionId: "s", context: { goal: "a" } });
      expect(await refusalOf(call(workrail, name, params))).toMatchObject({ code: "INVALID_INPUT", details: { field } });
    }),
  );

  it.each(ON_DISK)("that needs the disk fails with its reason while it cannot be opened: %s", (name) =>
    withFailingDisk(async (disk) => {
      const clear = obstruct(disk.place.dataDir);
      const workrail = await disk.open();
      expect(await refusalOf(call(workrail, name, {}))).toMatchObject({
        code: "STORAGE_UNAVAILABLE",
        details: { reason: "wrong-kind-of-file" },
      });
      clear();
      await workrail.close();
    }),
  );
});

import { expect, it } from "vitest";
import { type MethodWithParams, PARAM_FIELDS } from "../src/param-fields.ts";
import { onDisk, refusalOf } from "./stores.ts";

const METHODS = (Object.keys(PARAM_FIELDS) as MethodWithParams[]).filter((name) => name !== "openWorkrail" && name !== "restoreBackup");

/** Methods whose named parameters follow another argument. */
const SECOND = new Set<string>([
  "resolveCheckpoint",
  "exportSession",
  "exportText",
  "exportAll",
  "importFile",
  "importText",
  "exportAuditLog",
  "backup",
]);

it.each(METHODS)("%s refuses a parameter that it does not have", (name) =>
  onDisk(async (place) => {
    await using workrail = await place.open();
    const method = workrail[name] as (...args: readonly unknown[]) => unknown;
    const call = async (): Promise<unknown> => {
      const answer = await method(...(SECOND.has(name) ? ["session"] : []), { sesionId: "s" });
      return Symbol.asyncIterator in Object(answer) ? (answer as AsyncGenerator).next() : answer;
    };
    expect(await refusalOf(call())).toMatchObject({
      code: "INVALID_INPUT",
      message: `${name} has no parameter "sesionId".`,
      details: { field: "sesionId" },
    });
  }),
);

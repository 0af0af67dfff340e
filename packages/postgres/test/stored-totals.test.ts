import { countQuery } from "../src/queries/read-queries.ts";
import type { SessionId, Where } from "@workrail/core";
import { expect, it } from "vitest";

const session = "s" as SessionId;

it.each<[string, Where]>([
  ["checkpoint_total", { state: "live", notKinds: ["aside"], tags: [], words: [], name: undefined }],
  ["checkpoint_total", { state: "live", project: "/p", kinds: ["workflow"] }],
  ["session", { state: "live", sessionId: session, notKinds: ["aside"], words: [] }],
  ["checkpoint", { state: "live", sessionId: session }],
  ["checkpoint", { state: "live", words: ["word"] }],
  ["checkpoint", { state: "any" }],
  ["checkpoint", { state: "live", ids: [] }],
])("a count is answered from the table %s: %j", (table, where) => {
  expect(countQuery("tenant", { of: "count", where }).compile().sql).toContain(`from "workrail"."${table}"`);
});

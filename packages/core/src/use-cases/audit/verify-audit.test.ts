import { expect, it } from "vitest";
import { commit, cutRows, placeOf, verifyAudit } from "../../index.ts";
import { aStore } from "../../../../memory/src/testing/a-store.ts";

it("reports a row noted elsewhere that is missing or differs, unless it was cut off", async () => {
  const { disk, ports, storage } = aStore();
  const event = { action: "export", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;
  for (const ms of [0, 1]) await ports.catalog.change(commit({ audit: [{ ...event, at: new Date(ms) }] }));
  const [first, second] = disk.catalog.audit.map(placeOf);
  if (first === undefined || second === undefined) throw new Error("A row is missing.");
  const findings = async (expected: typeof first) => (await verifyAudit(storage, { expected })).findings;
  expect(await findings(second)).toEqual([]);
  expect(await findings({ ...second, number: 3 })).toMatchObject([{ kind: "cut-off", number: 3 }]);
  expect(await findings({ ...second, digest: first.digest })).toMatchObject([{ kind: "not-as-noted", number: 2 }]);
  await ports.catalog.change(cutRows({ before: new Date(1), at: new Date(9), limit: 9 }));
  expect(disk.catalog.audit).toHaveLength(2);
  expect(await findings(first)).toEqual([]);
});

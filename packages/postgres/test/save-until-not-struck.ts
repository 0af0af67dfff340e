import type { ChainedStorage, SessionId } from "@workrail/core";
import { verifyAudit } from "@workrail/core";
import { type Faults, tally } from "@workrail/storage-conformance/harness";
import { expect } from "vitest";
import { saveRecord } from "./a-record.ts";

type Fault = Omit<Parameters<Faults["arm"]>[0], "at">;

interface Struck {
  readonly faults: Faults;
  readonly fault: Fault;
  readonly isTogether?: boolean;
}

/** Injects the fault into each statement of a save in turn, and expects each save to be stored exactly once. Resolves to the number of saves. */
export async function saveUntilNotStruck(
  storage: ChainedStorage,
  session: SessionId,
  { faults, fault, isTogether = false }: Struck,
): Promise<number> {
  let saves = 0;
  for (let at = 1, isStruck = true; isStruck; at++) {
    faults.arm({ ...fault, at });
    const { id, outcome } = await saveRecord(storage, session, { keepNewest: 5, isTogether });
    isStruck = faults.struck;
    faults.disarm();
    saves += 1;
    tally({ tries: 1, acknowledged: 1 });
    expect(outcome).toMatchObject({ status: "committed", record: { id, sequence: saves } });
    const { session: row, log } = await storage.catalog.read({
      session: { of: "session", id: session },
      log: { of: "audit", query: { checkpointIds: [id] } },
    });
    expect({ at, last: row?.lastSequence, count: row?.checkpointCount }).toEqual({ at, last: saves, count: Math.min(saves, 5) });
    expect(log.map(({ action }) => action)).toEqual(["save"]);
  }
  expect((await verifyAudit(storage)).findings).toEqual([]);
  return saves;
}

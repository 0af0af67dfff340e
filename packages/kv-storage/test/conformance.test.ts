import { randomUUID } from "node:crypto";
import { describeStorage } from "@workrail/storage-conformance";
import { faultError, type Faults, type StorageHarness } from "@workrail/storage-conformance/harness";
import type { KeyValues } from "../src/key-values.ts";
import { kvStorage } from "../src/kv-storage.ts";
import { mapKeyValues } from "./map-key-values.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const places = new Map<string, Map<string, Uint8Array>>();
const leaseMs = 1_500;

const harness: StorageHarness = {
  name: "four functions over a map",
  capabilities: { persistent: true, manyOpeners: true, seesBlobs: true },
  async create() {
    const place = randomUUID();
    places.set(place, new Map());
    return place;
  },
  open: (place) => kvStorage(mapKeyValues(places.get(place)), { leaseMs, durability: "memory" }),
  openWithFaults: (place, faults) => kvStorage(struck(mapKeyValues(places.get(place)), faults), { leaseMs, durability: "memory" }),
  async destroy(place) {
    places.delete(place);
  },
};

/** Fails calls as a store over a network does: not done, or done without an answer. */
function struck(keys: KeyValues, faults: Faults): KeyValues {
  const request = async <T>(name: string, send: () => Promise<T>): Promise<T> => {
    const plan = faults.strike(false);
    if (plan === undefined) return send();
    if (plan.kind === "fails-after") await send();
    throw faultError(plan, name);
  };
  return {
    get: (key) => request("get", () => keys.get(key)),
    putIfAbsent: (key, value) => request("putIfAbsent", () => keys.putIfAbsent(key, value)),
    delete: (key) => request("delete", () => keys.delete(key)),
    async *list(prefix) {
      await request("list", async () => undefined);
      yield* keys.list(prefix);
    },
  };
}

describeStorage(harness, IS_LONG ? { runs: 100, operations: 200 } : { runs: 40, operations: 100 });

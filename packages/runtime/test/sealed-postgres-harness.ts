import type { StorageHarness } from "@workrail/storage-conformance/harness";
import { harness as postgres } from "@workrail/postgres/test/server-harness";
import { sealedOver } from "./sealed-harness-over.ts";

export const harness: StorageHarness = sealedOver({ ...postgres, module: import.meta.url });

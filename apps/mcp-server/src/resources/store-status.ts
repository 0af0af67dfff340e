import { inOwnName } from "@workrail/process";
import type { LazyStore } from "../lazy-store.ts";
import type { Resource } from "../resource.ts";

/** Resource with the status of the store, for a host to show. */
export function storeStatus(store: LazyStore): Resource {
  return {
    uri: "workrail://status",
    name: "status",
    title: "Status of the store",
    description: "Content and limits of the checkpoint store, with warnings for people.",
    async read() {
      const workrail = await store.get();
      const { warnings, ...status } = await workrail.storeStatus();
      return { dataDir: workrail.dataDir, ...status, warnings: warnings.map((warning) => inOwnName(warning, "agent")) };
    },
    concern: async () => ({ isNamed: false, isConcerned: () => true }),
  };
}

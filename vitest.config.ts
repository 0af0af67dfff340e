import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// The repository's own condition comes first, so that tests run against sources and never against a stale build.
const conditions = ["@workrail/source", "module", "node", "development|production"];

export default defineConfig({
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["{packages,apps,tooling,examples}/*/{src,test}/**/*.test.ts"],
    pool: "forks",
    // Tests wait for disks and child processes: two at a time keep even one processor busy.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

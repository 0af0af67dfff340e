import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// The repository's own condition comes first, so that tests run against sources and never against a stale build.
const conditions = ["@workrail/source", "module", "node", "development|production"];

/** Where no earlier run has told how long each file takes, the larger ones go first; but the longest are a few lines that call a suite. */
class SuitesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSuite = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith("conformance.test.ts");
    const sorted = await super.sort(files);
    return [...sorted.filter(isSuite), ...sorted.filter((file) => !isSuite(file))];
  }
}

export default defineConfig({
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["{packages,apps,tooling,examples}/*/{src,test}/**/*.test.ts"],
    setupFiles: ["packages/storage-conformance/test/seeded-properties.ts"],
    pool: "forks",
    sequence: { sequencer: SuitesFirst },
    // Tests wait for disks, locks and child processes: one more than there are processors keeps these busy.
    maxWorkers: availableParallelism() + 1,
    // Child processes run sources: most of what a start takes is compiling them, unless what came of it is kept.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules", ".cache", "workrail", "compiled") },
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});

import { existsSync, readFileSync, statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { IS_LONG } from "./packages/storage-conformance/test/long-form.ts";

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

const MEMORY = "/dev/shm";
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Temporary files go to memory where Linux has room for them: stores wait for `fsync` more than for anything else, and no test cuts
 * the power. Tests execute some of these files. `npm run test:faults` uses the disk.
 */
function temporaryFolder(): { readonly TMPDIR?: string } {
  if (process.env["TMPDIR"] !== undefined || IS_LONG) return {};
  const mounts = existsSync("/proc/mounts") ? readFileSync("/proc/mounts", "utf8") : "";
  if (!/^\S+ \/dev\/shm tmpfs (?!\S*noexec)/mu.test(mounts)) return {};
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < ENOUGH_BYTES ? {} : { TMPDIR: MEMORY };
}

/** Packages whose tests need no processes of their own: the inner loop, `npm run test:unit`. */
const UNIT = [
  "packages/{classifier,codecs,core,foreign-memories,host-setup,host-transcripts,http-*,memory,o200k,search,search-minisearch,secrets,timeline,transcripts,transfer,views}/{src,test}/**/*.test.ts",
  "packages/runtime/src/**/*.test.ts",
];

/** Tests of those packages that start processes or threads. `test-projects.test.ts` of tooling/architecture finds further ones. */
const STARTS_PROCESSES = [
  "packages/codecs/src/gzip-codecs.test.ts",
  "packages/core/src/needs-node.test.ts",
  "packages/core/src/json/parse-json-late.test.ts",
  "packages/foreign-memories/src/server-memory.test.ts",
  "packages/host-transcripts/src/{peek,read}-transcript.test.ts",
  "packages/runtime/src/hooks/hook-{odds,promises}.test.ts",
  "packages/timeline/src/data/drift.test.ts",
  "packages/transcripts/src/file-transcripts.test.ts",
];

/** All other tests. They share processes too, and leave no environment, directory, spy or timer behind. */
const PROOF = [
  "{apps,tooling,examples}/*/{src,test}/**/*.test.ts",
  "packages/{ai-sdk,blob-files,blobs-s3,files-catalog,keychain-crypto,kv-storage,langgraph,postgres,process,sqlite-fs,storage-conformance,wrappers}/{src,test}/**/*.test.ts",
  "packages/runtime/test/**/*.test.ts",
  ...STARTS_PROCESSES,
];

/** Tests with a process for each file: long ones, which gain nothing, and those that expect a process without the traces of others. */
const PROOF_ALONE = [
  "apps/mcp-server/src/http/{hostile-clients,killed-nodes,many-servers}.test.ts",
  "examples/*/src/conformance.test.ts",
  "packages/{blobs-s3,files-catalog,kv-storage,postgres,sqlite-fs}/test/*conformance.test.ts",
  "packages/sqlite-fs/src/statement-of.test.ts",
];

export default defineConfig({
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    projects: [
      // One process runs many files, which share modules: loading and compiling them takes most of the time of a small file.
      { extends: true, test: { name: "unit", include: UNIT, exclude: STARTS_PROCESSES, isolate: false } },
      { extends: true, test: { name: "proof", include: PROOF, exclude: PROOF_ALONE, isolate: false } },
      { extends: true, test: { name: "proof-alone", include: PROOF_ALONE } },
    ],
    setupFiles: ["packages/storage-conformance/test/seeded-properties.ts"],
    pool: "forks",
    sequence: { sequencer: SuitesFirst },
    // Tests wait for disks, locks and child processes: one more than there are processors keeps these busy.
    maxWorkers: availableParallelism() + 1,
    // Child processes run sources: most of the start time is compilation, unless the result is cached.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules", ".cache", "workrail", "compiled"), ...temporaryFolder() },
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Bench } from "./bench.ts";
import { report } from "./report.ts";
import type { Results } from "./results.ts";
import { serviceLevels } from "./service-levels.ts";
import { measureCodec } from "./suites/codec.ts";
import { measureColdStart } from "./suites/cold-start.ts";
import { measureContext } from "./suites/context.ts";
import { measureGrowth } from "./suites/growth.ts";
import { measureHooks } from "./suites/hooks.ts";
import { measureLanggraph } from "./suites/langgraph.ts";
import { measureLarge } from "./suites/large.ts";
import { measureLibrary } from "./suites/library.ts";
import { measureListing } from "./suites/listing.ts";
import { measureMcp, whyNoServer } from "./suites/mcp.ts";
import { measureMeaning } from "./suites/meaning.ts";
import { measureMemory } from "./suites/memory.ts";
import { measurePage, whyNoBrowser } from "./suites/page.ts";
import { measurePostgres, whyNoPostgres } from "./suites/postgres.ts";
import { measureProcesses } from "./suites/processes.ts";
import { measurePruning } from "./suites/prune.ts";
import { measureScale } from "./suites/scale.ts";
import { measureSealed } from "./suites/sealed.ts";
import { measureSearch } from "./suites/search.ts";
import { targets } from "./targets.ts";

const RESULTS = fileURLToPath(new URL("../results", import.meta.url));

/** In this order: the page among 10,000 is measured before the library's suite adds to that store. */
const SUITES = {
  growth: async (bench: Bench) => ({ growth: await measureGrowth(bench) }),
  list: async (bench: Bench) => ({ listing: await measureListing(bench) }),
  library: async (bench: Bench) => ({ library: await measureLibrary(bench) }),
  codec: async (bench: Bench) => ({ codec: await measureCodec(bench) }),
  sealed: async (bench: Bench) => ({ sealed: await measureSealed(bench) }),
  context: async (bench: Bench) => ({ context: await measureContext(bench) }),
  processes: async (bench: Bench) => ({ processes: await measureProcesses(bench) }),
  mcp: (bench: Bench) => withServer(bench, async () => ({ mcp: await measureMcp(bench) })),
  "cold-start": (bench: Bench) => withServer(bench, async () => ({ coldStart: await measureColdStart(bench) })),
  hooks: async (bench: Bench) => ({ hooks: await measureHooks(bench) }),
  scale: async (bench: Bench) => ({ scale: await measureScale(bench) }),
  search: async (bench: Bench) => ({ search: await measureSearch(bench) }),
  prune: async (bench: Bench) => ({ prune: await measurePruning(bench) }),
  large: async (bench: Bench) => ({ large: await measureLarge(bench) }),
  meaning: async (bench: Bench) => ({ meaning: await measureMeaning(bench) }),
  langgraph: async (bench: Bench) => ({ langgraph: await measureLanggraph(bench) }),
  postgres: (bench: Bench) => unless(whyNoPostgres(), bench, async () => ({ postgres: await measurePostgres(bench) })),
  page: (bench: Bench) => unless(whyNoBrowser(), bench, async () => ({ page: await measurePage(bench) })),
  memory: async (bench: Bench) => ({ memory: await measureMemory(bench) }),
} satisfies Record<string, (bench: Bench) => Promise<Results>>;

const USAGE = `usage: npm run bench -- [--quick] [--only SUITE]... [--dir DIRECTORY]

  --quick   fewer samples, about a minute
  --only    ${Object.keys(SUITES).join(", ")}; may be repeated
  --dir     where to measure; default: this checkout, because a temporary folder may be memory
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const wanted = readArguments();
  if (wanted === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const bench = new Bench(path.join(wanted.directory, `stores-${process.pid}`), wanted.quick);
  const startedAt = new Date();
  const results: Results = {};
  const failed: string[] = [];
  try {
    for (const name of wanted.suites) {
      try {
        Object.assign(results, await SUITES[name](bench));
      } catch (error) {
        // A failure of one suite must not discard the results of the others.
        failed.push(name);
        bench.say(`${name} FAILED: ${error instanceof Error ? error.stack : String(error)}`);
      }
    }
  } finally {
    bench.clean();
  }
  const machine = { platform: process.platform, arch: process.arch, cpus: os.availableParallelism(), node: process.versions.node };
  const json = { startedAt, machine, quick: wanted.quick, targets: targets(results), serviceLevels: serviceLevels(results), ...results };
  const file = path.join(RESULTS, "latest.json");
  fs.mkdirSync(RESULTS, { recursive: true });
  fs.writeFileSync(file, `${JSON.stringify(json, undefined, 2)}\n`);
  const minutes = (Date.now() - startedAt.getTime()) / 60_000;
  process.stdout.write(
    `# Workrail benchmark: ${machine.platform} ${machine.arch}, ${machine.cpus} cores, Node ${machine.node}\n${report(results)}`,
  );
  process.stdout.write(`\n${minutes.toFixed(1)} minutes. All figures: ${path.relative(process.cwd(), file)}\n`);
  return failed.length === 0 ? 0 : 1;
}

interface Wanted {
  readonly quick: boolean;
  readonly suites: readonly (keyof typeof SUITES)[];
  readonly directory: string;
}

function readArguments(): Wanted | undefined {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: "boolean", default: false },
        only: { type: "string", multiple: true },
        dir: { type: "string", default: RESULTS },
      },
    });
    const suites = values.only ?? Object.keys(SUITES);
    if (!suites.every((name): name is keyof typeof SUITES => Object.hasOwn(SUITES, name))) return undefined;
    return { quick: values.quick, suites, directory: values.dir };
  } catch {
    // `parseArgs` found an unknown option: show the usage.
    return undefined;
  }
}

async function withServer(bench: Bench, measure: () => Promise<Results>): Promise<Results> {
  return unless(await whyNoServer(), bench, measure);
}

async function unless(reason: string | undefined, bench: Bench, measure: () => Promise<Results>): Promise<Results> {
  if (reason === undefined) return measure();
  bench.say(`skipped: ${reason}`);
  return {};
}

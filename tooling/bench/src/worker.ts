import { compareCodec } from "./tasks/compare-codec.ts";
import { compareContext } from "./tasks/compare-context.ts";
import { compareLanggraph } from "./tasks/compare-langgraph.ts";
import { compareLanggraphPostgres } from "./tasks/compare-langgraph-postgres.ts";
import { compareLibrary } from "./tasks/compare-library.ts";
import { compareListing } from "./tasks/compare-listing.ts";
import { compareMeaning } from "./tasks/compare-meaning.ts";
import { compareScale } from "./tasks/compare-scale.ts";
import { compareSealed } from "./tasks/compare-sealed.ts";
import { compareSearch } from "./tasks/compare-search.ts";
import { fillDatabase } from "./tasks/fill-database.ts";
import { fillStore } from "./tasks/fill-store.ts";
import { firstSearch } from "./tasks/first-search.ts";
import { growStore } from "./tasks/grow-store.ts";
import { keepLarge } from "./tasks/keep-large.ts";
import { repeatAlone } from "./tasks/repeat-alone.ts";
import { searchMemory } from "./tasks/search-memory.ts";
import { takeIn } from "./tasks/take-in.ts";
import { takePart } from "./tasks/take-part.ts";
import { timePruning } from "./tasks/time-pruning.ts";

/** Tasks of a child process. Each runs in its own process, so that none inherits another's heap. */
const TASKS = {
  compareCodec,
  compareContext,
  compareLanggraph,
  compareLanggraphPostgres,
  compareLibrary,
  compareListing,
  compareMeaning,
  compareScale,
  compareSealed,
  compareSearch,
  fillDatabase,
  fillStore,
  firstSearch,
  growStore,
  keepLarge,
  repeatAlone,
  searchMemory,
  takeIn,
  takePart,
  timePruning,
} as const;

export type Tasks = typeof TASKS;

if (process.send !== undefined) {
  const [name, input] = process.argv.slice(2);
  const task = TASKS[name as keyof Tasks] as (input: unknown) => unknown;
  process.send({ result: await task(JSON.parse(String(input))) });
  process.disconnect();
}

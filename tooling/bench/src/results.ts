import type { Comparison } from "./alternate.ts";
import type { ColdStartResult } from "./suites/cold-start.ts";
import type { ContextRow } from "./suites/context.ts";
import type { GrowthResult } from "./suites/growth.ts";
import type { HooksResult } from "./suites/hooks.ts";
import type { LargeResult } from "./suites/large.ts";
import type { LibraryRow } from "./suites/library.ts";
import type { McpResult } from "./suites/mcp.ts";
import type { MeaningRow } from "./suites/meaning.ts";
import type { MemoryRow } from "./suites/memory.ts";
import type { PageResult } from "./suites/page.ts";
import type { PostgresResult } from "./suites/postgres.ts";
import type { ProcessesRow } from "./suites/processes.ts";
import type { PruneResult } from "./suites/prune.ts";
import type { ScaleResult } from "./suites/scale.ts";
import type { SealedRow } from "./suites/sealed.ts";
import type { SearchRow } from "./suites/search.ts";
import type { LanggraphResult } from "./suites/langgraph.ts";
import type { ListingResult } from "./tasks/compare-listing.ts";

/** All measurements of one run; those that were not requested, or are not possible, are absent. */
export interface Results {
  library?: readonly LibraryRow[];
  listing?: ListingResult;
  codec?: Comparison;
  sealed?: readonly SealedRow[];
  context?: readonly ContextRow[];
  processes?: readonly ProcessesRow[];
  growth?: GrowthResult;
  scale?: ScaleResult;
  search?: readonly SearchRow[];
  prune?: PruneResult;
  large?: LargeResult;
  langgraph?: LanggraphResult;
  meaning?: readonly MeaningRow[];
  memory?: readonly MemoryRow[];
  mcp?: McpResult;
  coldStart?: ColdStartResult;
  hooks?: HooksResult;
  page?: PageResult;
  postgres?: PostgresResult;
}

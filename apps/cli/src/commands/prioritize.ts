import { LAYERS } from "@workrail/core";
import { escapeText } from "@workrail/process";
import type { PrioritizeContextParams, ShapedContextResult, ViewReport } from "@workrail/runtime";
import type { Command } from "commander";
import { parseWhole } from "../parse-option.ts";
import { note } from "../print.ts";
import { printTable } from "../print-table.ts";
import type { Column } from "../render-table.ts";
import { formatTokens, outcomeCounts, printShaped, resolveSource, shapeParams, type ShapeOptions } from "../shape-context.ts";
import { withStore } from "../with-store.ts";

interface PrioritizeOptions extends ShapeOptions {
  readonly critical?: number;
  readonly important?: number;
  readonly useful?: number;
  readonly ephemeral?: number;
}

type Entry = ViewReport["entries"][number];

const EXAMPLES = `
Examples:
  workrail prioritize context.json --dry-run
  workrail prioritize --session my-task --budget 2000 --useful 500
`;

/** `workrail prioritize`: orders a context by importance, and holds each layer to its share of the budget. */
export function addPrioritizeCommand(program: Command): void {
  program
    .command("prioritize")
    .summary("order a context by importance, and see how it is classified")
    .description(
      "Orders a context by importance, drops ephemeral entries, and limits each layer to its share of a budget. The original is kept.",
    )
    .argument("[file]", "file with the context's JSON; default or -: standard input")
    .option("--checkpoint <id>", "take the context of this checkpoint: id, id prefix or latest~2")
    .option("--session <id>", "take the latest context of this session; with a file, keep the original there")
    .option("--budget <tokens>", "maximum tokens of the result; default: as many as an MCP answer holds", parseWhole)
    .option("--focus <text>", "the next task or question: related content is kept first")
    .option("--critical <tokens>", "tokens for critical entries; they may take more", parseWhole)
    .option("--important <tokens>", "maximum tokens for important entries", parseWhole)
    .option("--useful <tokens>", "maximum tokens for useful entries", parseWhole)
    .option("--ephemeral <tokens>", "no effect: ephemeral entries are dropped", parseWhole)
    .option("--dry-run", "only show the layer and outcome of each entry")
    .addHelpText("after", EXAMPLES)
    .action(async (file: string | undefined, _options: PrioritizeOptions, command: Command) => prioritize(file, command.optsWithGlobals()));
}

async function prioritize(file: string | undefined, options: PrioritizeOptions): Promise<void> {
  const params = { ...(await shapeParams(file, options)), budgets: budgetsOf(options), dryRun: options.dryRun };
  const result = await withStore(options, async (store) => store.prioritizeContext(await resolveSource(params, store)));
  if (options.json || options.dryRun !== true) return printShaped(result, options);
  await printPlan(result);
}

function budgetsOf({ critical, important, useful, ephemeral }: PrioritizeOptions): PrioritizeContextParams["budgets"] {
  const given = { CRITICAL: critical, IMPORTANT: important, USEFUL: useful, EPHEMERAL: ephemeral };
  return LAYERS.some((layer) => given[layer] !== undefined) ? given : undefined;
}

async function printPlan({ tokensBefore, tokensAfter, report }: ShapedContextResult): Promise<void> {
  await printTable(columns(), report.entries);
  note(`${formatTokens(tokensBefore)} tokens now, ${formatTokens(tokensAfter)} after: ${outcomeCounts(report)}.`);
}

function columns(): readonly Column<Entry>[] {
  return [
    { title: "KEY", leastWidth: 12, cell: ({ key }) => escapeText(key) },
    { title: "LAYER", cell: ({ layer }) => layer },
    { title: "TOKENS", align: "right", cell: ({ tokensBefore }) => formatTokens(tokensBefore) },
    { title: "AFTER", align: "right", cell: ({ tokensAfter }) => formatTokens(tokensAfter) },
    { title: "OUTCOME", cell: ({ outcome }) => outcome },
    { title: "WHY", leastWidth: 8, cell: ({ why }) => escapeText(why ?? "") },
  ];
}

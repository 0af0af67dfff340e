import { COMPRESSION_STRATEGIES, type CompressionStrategy, type Layer, LAYERS } from "@workrail/core";
import { type Command, Option } from "commander";
import { parseLayer, parseWhole } from "../parse-option.ts";
import { inStore, printShaped, shapeParams, type ShapeOptions } from "../shape-context.ts";
import { withStore } from "../with-store.ts";

interface CompressOptions extends ShapeOptions {
  readonly strategy: CompressionStrategy;
  readonly layer?: readonly Layer[];
}

const EXAMPLES = `
Examples:
  workrail compress context.json --budget 2000 > small.json
  workrail compress --session my-task --budget 2000 --focus "the failing test"
`;

/** `workrail compress`: fits a context into a token budget, and keeps the original. */
export function addCompressCommand(program: Command): void {
  program
    .command("compress")
    .summary("make a context fit a budget of tokens")
    .description(
      "Makes a context fit a budget of tokens: what matters stays whole, the rest is shortened. The original is kept and can be had back.",
    )
    .argument("[file]", "file with the context's JSON; default, and -: standard input")
    .option("--checkpoint <id>", "the context of this checkpoint: its id, the first characters of it, or latest~2")
    .option("--session <id>", "the latest context of this session; with a file, the session that the original is kept in")
    .option("--budget <tokens>", "the most tokens that the result may take; default: what an answer of the MCP server holds", parseWhole)
    .option("--focus <text>", "the next task or question: related content is kept first")
    .addOption(new Option("--strategy <name>", "how to shorten").choices(COMPRESSION_STRATEGIES).default("auto", "auto"))
    .option("--layer <name>", `shorten only entries of this layer (${LAYERS.join(", ")}); may be repeated`, parseLayer)
    .addHelpText("after", EXAMPLES)
    .action(async (file: string | undefined, _options: CompressOptions, command: Command) => compress(file, command.optsWithGlobals()));
}

async function compress(file: string | undefined, options: CompressOptions): Promise<void> {
  const { strategy, layer } = options;
  const params = await shapeParams(file, options);
  const layers = layer === undefined ? undefined : [...layer];
  await printShaped(
    await withStore(options, async (store) => store.compressContext({ ...(await inStore(params, store)), strategy, layers })),
    options,
  );
}

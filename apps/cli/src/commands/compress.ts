import { COMPRESSION_STRATEGIES, type CompressionStrategy, type Layer, LAYERS } from "@workrail/core";
import { type Command, Option } from "commander";
import { parseLayer, parseWhole } from "../parse-option.ts";
import { resolveSource, printShaped, shapeParams, type ShapeOptions } from "../shape-context.ts";
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
    .summary("shorten a context to a budget of tokens")
    .description(
      "Shortens a context to a budget of tokens, and keeps important entries whole where they fit. The original is kept and can be loaded.",
    )
    .argument("[file]", "file with the context's JSON; default or -: standard input")
    .option("--checkpoint <id>", "take the context of this checkpoint: id, id prefix or latest~2")
    .option("--session <id>", "take the latest context of this session; with a file, keep the original there")
    .option("--budget <tokens>", "maximum tokens of the result; default: as many as an MCP answer holds", parseWhole)
    .option("--focus <text>", "the next task or question: related content is kept first")
    .addOption(new Option("--strategy <name>", "how to shorten").choices(COMPRESSION_STRATEGIES).default("auto", "auto"))
    .option("--layer <name>", `keep only entries of this layer (${LAYERS.join(", ")}); may be repeated`, parseLayer)
    .addHelpText("after", EXAMPLES)
    .action(async (file: string | undefined, _options: CompressOptions, command: Command) => compress(file, command.optsWithGlobals()));
}

async function compress(file: string | undefined, options: CompressOptions): Promise<void> {
  const { strategy, layer } = options;
  const params = await shapeParams(file, options);
  const layers = layer === undefined ? undefined : [...layer];
  await printShaped(
    await withStore(options, async (store) => store.compressContext({ ...(await resolveSource(params, store)), strategy, layers })),
    options,
  );
}

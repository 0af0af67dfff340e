import type { Context } from "../model/context.ts";
import { type Layer, LAYERS } from "../model/layer.ts";
import type { TokenCounter } from "../ports/environment.ts";
import { buildView, type View, type ViewBudget, type ViewHow } from "../view/build-view.ts";
import { howToView, type ViewWish } from "../view/how-to-view.ts";
import type { AdvancedMode } from "./ask-condenser.ts";
import { type AdvancedReport, compressAdvanced } from "./compress-advanced.ts";

export interface ShapePorts {
  readonly tokens: TokenCounter;
  /** Asked for what `auto` has to condense. Default: no one is. */
  readonly advanced?: AdvancedMode | undefined;
}

export interface ShapeInput extends ViewWish {
  readonly context: Context;
  readonly budget: ViewBudget;
  /** Continues the report of the same request. */
  readonly cursor?: number | undefined;
}

export interface CompressInput extends ShapeInput {
  /** Only entries of these. Default: all. */
  readonly layers?: readonly Layer[] | undefined;
}

export interface PrioritizeInput extends ShapeInput {
  /** The most tokens for each layer. CRITICAL is not held to it. */
  readonly caps?: { readonly [L in Layer]?: number | undefined } | undefined;
  /** Only say what would become of each entry. */
  readonly dryRun?: boolean | undefined;
}

export interface ShapedContext extends View {
  /** Of the whole context as JSON. */
  readonly tokensBefore: number;
  /** Of `context` as JSON; of a dry run, of the values that it would hold. */
  readonly tokensAfter: number;
  /** Only where a condenser was asked. */
  readonly advanced?: AdvancedReport;
}

/** Makes a context fit: what matters whole, the rest shortened, and a report of what was done. */
export async function compressContext(ports: ShapePorts, input: CompressInput): Promise<ShapedContext> {
  const how: ViewHow = { ...howToView(input.context, input), layers: input.layers };
  const { advanced } = ports;
  const { strategy = "auto", cursor } = input;
  if (advanced === undefined || strategy !== "auto" || cursor !== undefined) return shape(ports, input, how);
  const count = await ports.tokens.load();
  return compressAdvanced((shaping) => shape(ports, input, shaping), { advanced, count, context: input.context, how });
}

/**
 * Puts a context in the order of its layers and drops what is EPHEMERAL, whether there is room or not; each layer gets
 * its share of the budget, or what it is held to. The report has every entry, with the reason for its layer.
 */
export async function prioritizeContext(ports: ShapePorts, input: PrioritizeInput): Promise<ShapedContext> {
  const layers = LAYERS.filter((layer) => layer !== "EPHEMERAL");
  const how: ViewHow = { ...howToView(input.context, input), layers, caps: input.caps, order: "layer", isDetailed: true };
  if (input.dryRun !== true) return shape(ports, input, how);
  const told = await shape(ports, { ...input, cursor: input.cursor ?? 0 }, how);
  const ofLayers = Object.values(told.report?.layers ?? {});
  return { ...told, tokensAfter: ofLayers.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0) };
}

async function shape({ tokens }: ShapePorts, { context, budget, cursor }: ShapeInput, how: ViewHow): Promise<ShapedContext> {
  const view = await buildView(context, how, budget, tokens, cursor);
  const tokensBefore = await tokens.count(JSON.stringify(context));
  const isWhole = view.context === context;
  return { ...view, tokensBefore, tokensAfter: isWhole ? tokensBefore : await tokens.count(JSON.stringify(view.context)) };
}

import { type ClassifyPorts, type Context, type Layer, LAYERS, type TokenCounter } from "@workrail/core";
import { buildView, type View, type ViewBudget, type ViewOptions } from "./view/build-view.ts";
import { viewOptionsOf, type ShapeOptions } from "./view/view-options.ts";
import type { AdvancedMode } from "./condense/ask-condenser.ts";
import { type AdvancedReport, compressAdvanced } from "./condense/compress-advanced.ts";

export interface ShapePorts extends ClassifyPorts {
  readonly tokens: TokenCounter;
  /** Condenser for entries that strategy `auto` has to condense. Default: none. */
  readonly advanced?: AdvancedMode | undefined;
}

export interface ShapeInput extends ShapeOptions {
  readonly context: Context;
  readonly budget: ViewBudget;
  /** Continues the report of the same request. */
  readonly cursor?: number | undefined;
}

export interface CompressInput extends ShapeInput {
  /** Only entries of these layers. Default: all. */
  readonly layers?: readonly Layer[] | undefined;
}

export interface PrioritizeInput extends ShapeInput {
  /** Most tokens per layer. Does not apply to CRITICAL. */
  readonly caps?: { readonly [L in Layer]?: number | undefined } | undefined;
  /** Only report what would happen to each entry. */
  readonly dryRun?: boolean | undefined;
}

export interface ShapedContext extends View {
  /** Tokens of the whole context as JSON. */
  readonly tokensBefore: number;
  /** Tokens of `context` as JSON; for a dry run, of the values it would contain. */
  readonly tokensAfter: number;
  /** Present only when a condenser was asked. */
  readonly advanced?: AdvancedReport;
}

/** Fits a context into a budget: important entries whole, others shortened, with a report. */
export async function compressContext(ports: ShapePorts, input: CompressInput): Promise<ShapedContext> {
  const options: ViewOptions = { ...(await viewOptionsOf(ports, input.context, input)), layers: input.layers };
  const { advanced } = ports;
  const { strategy = "auto", cursor } = input;
  if (advanced === undefined || strategy !== "auto" || cursor !== undefined) return shape(ports, input, options);
  const count = await ports.tokens.load();
  return compressAdvanced((shaping) => shape(ports, input, shaping), { advanced, count, context: input.context, options });
}

/**
 * Orders a context by layers and always drops EPHEMERAL entries. Each layer gets its share of the budget, or its cap. The report
 * lists every entry with the reason for its layer.
 */
export async function prioritizeContext(ports: ShapePorts, input: PrioritizeInput): Promise<ShapedContext> {
  const layers = LAYERS.filter((layer) => layer !== "EPHEMERAL");
  const options: ViewOptions = {
    ...(await viewOptionsOf(ports, input.context, input)),
    layers,
    caps: input.caps,
    order: "layer",
    isDetailed: true,
  };
  if (input.dryRun !== true) return shape(ports, input, options);
  const told = await shape(ports, { ...input, cursor: input.cursor ?? 0 }, options);
  const ofLayers = Object.values(told.report?.layers ?? {});
  return { ...told, tokensAfter: ofLayers.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0) };
}

async function shape({ tokens }: ShapePorts, { context, budget, cursor }: ShapeInput, options: ViewOptions): Promise<ShapedContext> {
  const view = await buildView(context, { ...options, budget, cursor }, tokens);
  const tokensBefore = await tokens.count(JSON.stringify(context));
  const isWhole = view.context === context;
  return { ...view, tokensBefore, tokensAfter: isWhole ? tokensBefore : await tokens.count(JSON.stringify(view.context)) };
}

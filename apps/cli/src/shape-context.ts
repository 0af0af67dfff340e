import type { ShapeContextParams, ShapedContextResult, ViewReport, Workrail } from "@workrail/runtime";
import { checkpointIdOf } from "./chosen-checkpoint.ts";
import { describeSecrets } from "./describe-secrets.ts";
import { note, printWarning, writeData, writeJson } from "./print.ts";
import { readContext } from "./read-context.ts";
import { type GlobalOptions, warningsOnly } from "./with-store.ts";

/** Options of the commands that fit a context into a budget. */
export interface ShapeOptions extends GlobalOptions {
  readonly checkpoint?: string;
  readonly session?: string;
  readonly budget?: number;
  readonly focus?: string;
}

/** Returns the source of a context: a file or standard input, unless a checkpoint or a session is named. */
export async function shapeParams(file: string | undefined, options: ShapeOptions): Promise<ShapeContextParams> {
  const { checkpoint, session, budget, focus } = options;
  const how = { budgetTokens: budget, focus, full: true };
  if (file === undefined && (checkpoint !== undefined || session !== undefined))
    return { ...how, checkpointId: checkpoint, sessionId: session };
  // The use case checks that it is an object.
  const context = (await readContext(file, warningsOnly(options.json === true))) as object;
  return { ...how, context, checkpointId: checkpoint, sessionId: session };
}

/** Replaces an id prefix or `latest~2` by the id of the checkpoint. */
export async function resolveSource<T extends ShapeContextParams>(params: T, store: Workrail): Promise<T> {
  const { context, checkpointId, sessionId } = params;
  if (context !== undefined || checkpointId === undefined) return params;
  return { ...params, checkpointId: await checkpointIdOf(store, checkpointId, sessionId), sessionId: undefined };
}

/** Prints the resulting context, and on standard error a summary of the rest. */
export async function printShaped(result: ShapedContextResult, { json }: GlobalOptions): Promise<void> {
  if (json) return writeJson(result);
  note(`${formatTokens(result.tokensBefore)} tokens before, ${formatTokens(result.tokensAfter)} now: ${outcomeCounts(result.report)}.`);
  if (result.notKept !== undefined) printWarning("the original is not kept", { why: result.notKept }, false);
  else if (result.checkpointId !== undefined) note(`The original is checkpoint ${result.checkpointId}${untilOf(result)}.`);
  for (const line of describeSecrets(result.secrets)) note(line);
  await writeData(`${JSON.stringify(result.context)}\n`);
}

/** Describes how many entries had each outcome, such as `3 whole, 1 dropped`. */
export function outcomeCounts({ kept, reduced, condensed, dropped }: ViewReport): string {
  return Object.entries({ whole: kept, reduced, condensed, dropped })
    .filter(([, entries]) => entries > 0)
    .map(([outcome, entries]) => `${entries} ${outcome}`)
    .join(", ");
}

export function formatTokens(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

function untilOf({ validUntil }: ShapedContextResult): string {
  return validUntil === undefined ? "" : `, kept until ${validUntil}`;
}

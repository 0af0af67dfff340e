import { ownContext } from "@workrail/core";
import { answerBudget, countFitting } from "../answer-budget.ts";
import { checkShape } from "../check-shape.ts";
import type {
  CompressContextParams,
  PrioritizeContextParams,
  ShapedContextResult,
  ViewCheckpointResult,
} from "../context-management-service.ts";
import { fitDescription } from "../fit-description.ts";
import { StoreLiveContext } from "../live/store-live-context.ts";
import type { Store } from "../store.ts";
import type { Views } from "../workrail.ts";
import { type Facet, MAYBE_PARAMS, PARAMS } from "./operation.ts";

/** Loaded on demand: loading is slow, and a program that only looks something up does not need it. */
const viewing = () => import("../on-demand/viewing.ts");

/** Fits saved work into budgets. */
export const views: Facet<Views> = {
  viewCheckpoint: {
    needs: "read",
    params: PARAMS,
    runs: "alone",
    async run(store, params) {
      checkShape(params);
      const { origin: _told, ...view } = await (await viewing()).viewCheckpoint(store, params, { isBrief: false });
      return view as ViewCheckpointResult;
    },
  },
  viewBriefly: {
    needs: "read",
    params: PARAMS,
    runs: "alone",
    async run(store, { details, ...params }) {
      checkShape(params);
      return (await viewing()).viewCheckpoint(store, params, { isBrief: details !== true });
    },
  },
  resumeWork: {
    needs: "read",
    params: MAYBE_PARAMS,
    async run(store, params = {}) {
      await store.refuseOtherProject(params.sessionId);
      return new (await viewing()).Resumer(store).resume(params);
    },
  },
  savedRepository: {
    needs: "read",
    params: PARAMS,
    async run(store, params) {
      await store.refuseOtherProject(params.sessionId);
      return new (await viewing()).Resumer(store).savedRepository(params);
    },
  },
  handoff: {
    needs: "read",
    params: PARAMS,
    async run(store, params) {
      await store.refuseOtherProject(params.sessionId);
      return new (await viewing()).Resumer(store).handoff(params);
    },
  },
  compressContext: { scope: "write", needs: "own way", params: PARAMS, runs: "alone", run: compressContext },
  prioritizeContext: { scope: "write", needs: "own way", params: PARAMS, runs: "alone", run: prioritizeContext },
  liveContext: {
    remote: "here",
    needs: "read",
    params: PARAMS,
    runs: "at once",
    run({ parts, rules }, params) {
      const { tokens, clock, log, settings } = parts;
      const projectRules = async () => (await rules.inFile()).rules?.rules;
      return new StoreLiveContext({ service: this, tokens, clock, log, autoSave: settings.autoSave, projectRules }, params);
    },
  },
  fitDescription: { remote: "here", needs: "read", runs: "alone", run: ({ parts }, description) => fitDescription(parts, description) },
  fitAnswer: {
    remote: "here",
    needs: "read",
    runs: "alone",
    async run({ parts: { settings, tokens } }, frame, items) {
      const texts = items.map((item) => JSON.stringify(item));
      const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
      const { ceiling } = await answerBudget({ frame, contentBytes: bytes }, settings, tokens);
      const fitting = bytes <= ceiling.tokens ? items.length : await countFitting(texts, ceiling, tokens);
      return items.slice(0, fitting);
    },
  },
  tokensOf: { remote: "here", needs: "read", runs: "alone", run: ({ parts }, answer) => parts.tokens.count(JSON.stringify(answer)) },
};

/** Shortens a context to a budget. */
export async function compressContext(store: Store, params: CompressContextParams): Promise<ShapedContextResult> {
  checkShape(params);
  const own = owned(store, params);
  return store.using(async () => new (await viewing()).ContextShaper(store).compress(own));
}

/** Holds each layer of a context to its budget. */
export async function prioritizeContext(store: Store, params: PrioritizeContextParams): Promise<ShapedContextResult> {
  checkShape(params);
  const own = owned(store, params);
  return store.using(async () => new (await viewing()).ContextShaper(store).prioritize(own));
}

/** Copies the given context, so that the kept original and the result agree even if the caller changes the object. */
function owned<T extends CompressContextParams>({ parts }: Store, params: T): T {
  if (params.context === undefined) return params;
  return { ...params, context: ownContext(params.context, parts.settings.limits) };
}

import type { Drift } from "@workrail/runtime";
import * as z from "zod";
import { reading } from "./call.ts";

/** The answer that an agent gets when it resumes. */
export interface Resumed {
  /** The text that the agent reads: a document with depth `summary`, otherwise the answer as JSON. */
  readonly text: string;
  /** Tokens of the whole answer. */
  readonly tokens: number;
  /** Tokens by which the answer exceeds the budget. */
  readonly exceededBy?: number | undefined;
  /** Keys of entries that are whole, and of those that are shortened, named in the answer or not; only with depth `view` or `full`. */
  readonly whole?: readonly string[] | undefined;
  readonly shortened?: readonly ShortenedEntry[] | undefined;
  /** Changes in the repository since the save. */
  readonly drift?: Drift | undefined;
  readonly warning?: string | undefined;
}

export interface ShortenedEntry {
  readonly key: string;
  /** Characters of the value as JSON. */
  readonly characters: number;
  /** Characters of the part that is there. */
  readonly shown: number;
}

const LONGEST_FOCUS = 2_000;
const ABOUT = {
  checkpointId: z.string(),
  budgetTokens: z.int().min(60).max(1_000_000),
  focus: z.string().max(LONGEST_FOCUS).optional(),
};

/** Resumes from a checkpoint as an agent does, without counting as a use. */
export const resume = reading(
  z.object({ ...ABOUT, budgetTokens: ABOUT.budgetTokens.optional(), depth: z.enum(["summary", "view", "full"]) }),
  async ({ store }, { focus, ...params }): Promise<Resumed> => {
    const found = await store.resumeWork({ ...params, focus: focus?.trim() === "" ? undefined : focus, isPeek: true });
    if (found.status !== "LOADED") throw new Error("The checkpoint is not there any more.");
    const { context, summary, shortened, drift, warning, budgetExceededBy, ...rest } = found;
    const keys = Object.keys(context ?? {});
    const parts: ShortenedEntry[] = [];
    if (shortened !== undefined) {
      // The answer names as many as fit.
      const saved = await store.viewCheckpoint({ checkpointId: params.checkpointId, full: true, isPeek: true });
      for (const key of keys) {
        const [shown, whole] = [JSON.stringify(context?.[key]), JSON.stringify(saved.context[key])];
        if (shown !== whole) parts.push({ key, characters: whole.length, shown: shown.length });
      }
    }
    const short = new Set(parts.map(({ key }) => key));
    return {
      text: summary ?? JSON.stringify({ context, shortened, ...rest, drift, warning }, undefined, 2),
      tokens: await store.tokensOf(found),
      exceededBy: budgetExceededBy,
      ...(context === undefined ? {} : { whole: keys.filter((key) => !short.has(key)), shortened: parts }),
      drift,
      warning,
    };
  },
);

/** Tokens of a summary that nobody reads. */
const LEAST_SUMMARY = 60;

/** Returns the changes in the repository since a checkpoint; `null` for one saved outside of a repository. */
export const drift = reading(z.object({ checkpointId: z.string() }), async ({ store }, { checkpointId }): Promise<Drift | null> => {
  const found = await store.resumeWork({ checkpointId, depth: "summary", budgetTokens: LEAST_SUMMARY, isPeek: true });
  return found.status === "LOADED" ? (found.drift ?? null) : null;
});

/** A document for another agent or person. */
export interface HandedOver {
  readonly markdown: string;
  readonly tokens: number;
  readonly shortened: number;
  readonly leftOut: number;
}

const LEAST_HANDOFF = 300;

export const handoff = reading(
  z.object({ ...ABOUT, budgetTokens: ABOUT.budgetTokens.min(LEAST_HANDOFF) }),
  async ({ store }, { focus, ...params }): Promise<HandedOver> => {
    const found = await store.handoff({ ...params, focus: focus?.trim() === "" ? undefined : focus, isPeek: true });
    const { markdown, tokens, shortened, leftOut } = found;
    return { markdown, tokens, shortened, leftOut };
  },
);

import type { Context, JsonValue } from "@workrail/core";
import type { Drift, ResumeDepth, ResumedWork, Workrail } from "@workrail/runtime";
import * as z from "zod";
import { reading } from "./call.ts";
import { type KeptParts, countKeptParts } from "./count-kept-parts.ts";
import { DEFAULT_DEPTH } from "./resume-defaults.ts";

/** The answer that an agent gets when it resumes. */
export interface Resumed {
  /** The text that the agent reads: a document with depth `summary`, otherwise the answer as JSON. */
  readonly text: string;
  /** Tokens of the whole answer. */
  readonly tokens: number;
  /** Tokens by which the answer exceeds the budget. */
  readonly exceededBy?: number | undefined;
  /** Keys of the entries that are there as saved, and the other entries that are there; only with depth `view` or `full`. */
  readonly whole?: readonly string[] | undefined;
  readonly shortened?: readonly ShortenedEntry[] | undefined;
  /** Changes in the repository since the save. */
  readonly drift?: Drift | undefined;
  readonly warning?: string | undefined;
}

/** An entry that is there in part, or only written another way. */
export interface ShortenedEntry {
  readonly key: string;
  /** Tokens of the part that is there. */
  readonly tokens: number;
  /** The form of an entry of which nothing is lost; absent for one that is there in part. */
  readonly completeAs?: "table" | "text" | undefined;
  /** Parts of an entry of which some are missing, where they can be counted. */
  readonly parts?: KeptParts | undefined;
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
  async ({ store }, params): Promise<Resumed> => {
    const found = await resumeFrom(store, params);
    const { context, summary, shortened, drift, warning, budgetExceededBy, ...rest } = found;
    const { whole, others } = await sortEntries(store, found, params);
    return {
      text: summary ?? JSON.stringify({ context, shortened, ...rest, drift, warning }, undefined, 2),
      tokens: await store.tokensOf(found),
      exceededBy: budgetExceededBy,
      ...(context === undefined ? {} : { whole, shortened: await describe(store, others) }),
      drift,
      warning,
    };
  },
);

/** A budget with which an entry is complete. */
export interface EnoughTokens {
  readonly key: string;
  readonly budgetTokens: number;
}

/** Budgets to try, up to the default limit of an answer. */
const BUDGETS = [150, 200, 300, 400, 500, 600, 800, 1_000, 1_200, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 6_000, 8_000, 10_000];
/** Time after which no further budgets are tried: a resume from a large state takes long. */
const MOST_TRYING_MS = 4_000;

/** Tries larger budgets, and returns for each entry that one of them completes the smallest; after a while, the smallest so far. */
export const enough = reading(z.object(ABOUT), async ({ store }, { budgetTokens, ...params }): Promise<readonly EnoughTokens[]> => {
  const larger = BUDGETS.filter((budget) => budget > budgetTokens);
  const until = performance.now() + MOST_TRYING_MS;
  const completeAt = async (budget: number): Promise<ReadonlySet<string>> => {
    const wish = { ...params, budgetTokens: budget, depth: DEFAULT_DEPTH } as const;
    const { whole, others } = await sortEntries(store, await resumeFrom(store, wish), wish);
    return new Set([...whole, ...others.filter(({ isComplete }) => isComplete).map(({ key }) => key)]);
  };
  /** Halves the budgets from `low` to the last of them, which completes all of the keys. */
  const search = async (keys: readonly string[], low: number, last: number): Promise<readonly EnoughTokens[]> => {
    if (keys.length === 0) return [];
    if (low === last || performance.now() > until) return keys.map((key) => ({ key, budgetTokens: larger[last] as number }));
    const middle = Math.floor((low + last) / 2);
    const complete = await completeAt(larger[middle] as number);
    const later = keys.filter((key) => !complete.has(key));
    return [
      ...(await search(
        keys.filter((key) => complete.has(key)),
        low,
        middle,
      )),
      ...(await search(later, middle + 1, last)),
    ];
  };
  const most = larger.at(-1);
  if (most === undefined) return [];
  const now = await completeAt(budgetTokens);
  const keys = [...(await completeAt(most))].filter((key) => !now.has(key));
  return search(keys, 0, larger.length - 1);
});

interface ResumeRequest {
  readonly checkpointId: string;
  readonly depth: ResumeDepth;
  readonly budgetTokens?: number | undefined;
  readonly focus?: string | undefined;
}

async function resumeFrom(store: Workrail, { focus, ...wish }: ResumeRequest): Promise<ResumedWork> {
  const found = await store.resumeWork({ ...wish, focus: focus?.trim() === "" ? undefined : focus, isPeek: true });
  if (found.status !== "LOADED") throw new Error("The checkpoint no longer exists.");
  return found;
}

/** The entries of an answer: keys of those as they were saved, and the others with both values. */
interface SortedEntries {
  readonly whole: readonly string[];
  readonly others: readonly ChangedEntry[];
}

interface ChangedEntry {
  readonly key: string;
  readonly saved: JsonValue;
  readonly shown: JsonValue;
  /** Nothing of it is lost. */
  readonly isComplete: boolean;
}

/** Separates the entries of an answer that are as saved from the others. The answer itself may have no room for all names. */
async function sortEntries(store: Workrail, found: ResumedWork, wish: ResumeRequest): Promise<SortedEntries> {
  const { shortened: named } = found;
  const context = (found.context ?? {}) as Context;
  const keys = Object.keys(context);
  if (named === undefined || found.context === undefined) return { whole: keys, others: [] };
  const { context: saved } = await store.viewCheckpoint({ checkpointId: wish.checkpointId, full: true, isPeek: true });
  const isSaved = (key: string): boolean => textOf(context, key) === textOf(saved, key);
  const complete = await completeOnes(store, { context, named }, wish);
  const others = keys
    .filter((key) => !isSaved(key))
    .map((key) => {
      return { key, saved: (saved as Context)[key] as JsonValue, shown: context[key] as JsonValue, isComplete: complete.has(key) };
    });
  return { whole: keys.filter((key) => isSaved(key)), others };
}

/** Says how much of each changed entry is there. */
function describe(store: Workrail, others: readonly ChangedEntry[]): Promise<ShortenedEntry[]> {
  return Promise.all(
    others.map(async ({ key, saved, shown, isComplete }) => {
      const tokens = await store.tokensOf(typeof shown === "object" && shown !== null ? shown : [shown]);
      if (!isComplete) return { key, tokens, parts: countKeptParts(saved, shown) };
      return { key, tokens, completeAs: HEADER.test(JSON.stringify(shown)) ? "table" : "text" };
    }),
  );
}

/** The row of column names of a table. */
const HEADER = /"\([^"]+ \| [^"]+\)"/u;

type Names = NonNullable<ResumedWork["shortened"]>;

/** Returns the keys of entries that are only written another way, also of those that the answer has no room to name. */
async function completeOnes(
  store: Workrail,
  { context, named }: { readonly context: object; readonly named: Names },
  wish: ResumeRequest,
): Promise<ReadonlySet<string>> {
  if (named.nextCursor === undefined) return new Set(completeIn(named));
  // The same view, whose names can be continued.
  const asked = { checkpointId: wish.checkpointId, budgetTokens: wish.budgetTokens, focus: wish.focus, isPeek: true };
  const view = await store.viewCheckpoint(asked);
  const found = new Set(completeIn(named));
  for (let page = view.shortened; page !== undefined;) {
    for (const key of completeIn(page)) if (textOf(view.context, key) === textOf(context, key)) found.add(key);
    const { nextCursor: cursor } = page;
    page = cursor === undefined ? undefined : (await store.viewCheckpoint({ ...asked, cursor })).shortened;
  }
  return found;
}

function completeIn({ entries }: Names): string[] {
  return entries.filter(({ characters, shown }) => characters === shown).map(({ key }) => key);
}

function textOf(context: object, key: string): string {
  return JSON.stringify((context as Record<string, unknown>)[key]);
}

/** Tokens of an unread summary. */
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

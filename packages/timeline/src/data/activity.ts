import { readSavings } from "@workrail/runtime";
import * as z from "zod";
import { type DataPorts, reading } from "./call.ts";

/** Saves of each agent and day, oldest day first. */
export interface Activity {
  /** Days as `2026-01-31`, without gaps. */
  readonly days: readonly string[];
  readonly agents: readonly { readonly agent: string; readonly saves: readonly number[] }[];
  /** Resumes by hooks, with estimates of their tokens and of the transcripts that they replaced. Absent without a data directory. */
  readonly savings?: { readonly resumes: number; readonly packTokens: number; readonly transcriptTokens: number } | undefined;
}

const DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Counts the saves of the last 30 days. */
export const activity = reading(z.object({ sessionId: z.string().optional() }), async (ports, { sessionId }): Promise<Activity> => {
  const { store, now } = ports;
  const today = now().getTime();
  const days = Array.from({ length: DAYS }, (_, index) => dayOf(today - (DAYS - 1 - index) * DAY_MS));
  const since = `${days[0] ?? ""}T00:00:00.000Z`;
  const byAgent = new Map<string, number[]>();
  const scope = sessionId === undefined ? { project: null } : { sessionId };
  for await (const { createdAt, agentId = "unknown" } of store.eachCheckpoint({ ...scope, since })) {
    const counts = byAgent.get(agentId) ?? days.map(() => 0);
    byAgent.set(agentId, counts);
    const index = days.indexOf(createdAt.slice(0, 10));
    if (index >= 0) counts[index] = (counts[index] ?? 0) + 1;
  }
  const agents = [...byAgent].map(([agent, saves]) => ({ agent, saves })).toSorted((a, b) => total(b.saves) - total(a.saves));
  return { days, agents, savings: await savingsOf(ports, since, sessionId) };
});

async function savingsOf({ store, now }: DataPorts, since: string, sessionId: string | undefined): Promise<Activity["savings"]> {
  if (store.dataDir === undefined) return undefined;
  const found = await readSavings(store, { dataDir: store.dataDir, since, sessionId, now: now() });
  return { resumes: found.resumes, packTokens: found.packTokensEstimated, transcriptTokens: found.transcriptTokensEstimated };
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

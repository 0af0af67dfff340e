import type { Changes } from "./changes.ts";
import { changes } from "./changes.ts";
import type { DataPorts } from "./call.ts";
import { type ContextList, context, raw } from "./context.ts";
import { type ConversationPage, conversation } from "./conversation.ts";
import { DEFAULT_DEPTH, DEFAULT_TOKENS } from "./resume-defaults.ts";
import { type HandedOver, handoff, type Resumed, resume } from "./resume.ts";
import { type ContextSize, sizes, type Timeline, timeline } from "./timeline.ts";

/** One session as it stands in a saved page. */
export interface SavedSession {
  /** ISO 8601. */
  readonly savedAt: string;
  /** Only the rows that are in the page. */
  readonly timeline: Timeline;
  readonly sizes: readonly ContextSize[];
  /** By id. */
  readonly checkpoints: Readonly<Record<string, SavedCheckpoint>>;
}

export interface SavedCheckpoint {
  /** From its parent; absent when there is none. */
  readonly changes?: Changes | undefined;
  readonly context: ContextList;
  readonly resume: Resumed;
  readonly handoff: HandedOver;
  readonly conversation: ConversationPage;
  /** The beginning of the context as JSON. */
  readonly raw: string;
  readonly rawCharacters: number;
}

/** Fixed budgets of a saved page. */
const SAVED_BUDGETS = { resume: DEFAULT_TOKENS[DEFAULT_DEPTH], handoff: 2_000 } as const;

const LONGEST_RAW = 50_000;
const BATCH = 50;

/** Collects the data of a saved page, the newest checkpoints first, until it has so many characters. */
export async function saveSession(ports: DataPorts, sessionId: string, mostCharacters: number): Promise<SavedSession> {
  const whole = await timeline.run(ports, { sessionId });
  const checkpoints: [id: string, checkpoint: SavedCheckpoint][] = [];
  let room = mostCharacters;
  const rows = [];
  for (const row of whole.rows) {
    if (row.isDamaged === true) continue;
    const saved = await saveCheckpoint(ports, row.id, row.isParentGone === true ? null : row.parentId);
    room -= JSON.stringify(saved).length;
    // The newest one is there in any case.
    if (room < 0 && rows.length > 0) break;
    checkpoints.push([row.id, saved]);
    rows.push(row);
  }
  const found: ContextSize[] = [];
  for (let at = 0; at < rows.length; at += BATCH)
    found.push(...(await sizes.run(ports, { ids: rows.slice(at, at + BATCH).map(({ id }) => id) })));
  return { savedAt: ports.now().toISOString(), timeline: { ...whole, rows }, sizes: found, checkpoints: Object.fromEntries(checkpoints) };
}

async function saveCheckpoint(ports: DataPorts, checkpointId: string, parentId: string | null): Promise<SavedCheckpoint> {
  const text = await raw.run(ports, { checkpointId, offset: 0, limit: LONGEST_RAW });
  return {
    changes: parentId === null ? undefined : await changes.run(ports, { fromId: parentId, toId: checkpointId }),
    context: await context.run(ports, { checkpointId }),
    resume: await resume.run(ports, { checkpointId, depth: DEFAULT_DEPTH, budgetTokens: SAVED_BUDGETS.resume }),
    handoff: await handoff.run(ports, { checkpointId, budgetTokens: SAVED_BUDGETS.handoff }),
    conversation: await conversation.run(ports, { checkpointId, offset: 0 }),
    raw: text.text,
    rawCharacters: text.characters,
  };
}

const END = "</body>";

/** Puts the data into the page. Its letters `<` are escaped, so that no text of it ends the element. */
export function pageWith(page: string, session: SavedSession): string {
  const data = JSON.stringify(session).replaceAll("<", String.raw`\u003c`);
  const end = page.lastIndexOf(END);
  return `${page.slice(0, end)}<script type="application/json" id="saved-session">${data}</script>\n${page.slice(end)}`;
}

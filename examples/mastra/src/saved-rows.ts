import { InMemoryDB } from "@mastra/core/storage";
import { isWorkrailError, type Workrail } from "@workrail/runtime";

type Thread = InMemoryDB["threads"] extends Map<string, infer Row> ? Row : never;
type Message = InMemoryDB["messages"] extends Map<string, infer Row> ? Row : never;
type Resource = InMemoryDB["resources"] extends Map<string, infer Row> ? Row : never;

/** Rows that an operation needs: a thread is a session, and so is the working memory of a resource. */
export interface Scope {
  readonly threads?: readonly string[] | "all";
  readonly resources?: readonly string[] | "all";
}

const THREAD = "mastra thread ";
const RESOURCE = "mastra resource ";
const PAGE = 100;

/** State of a session as read. */
interface ReadState {
  /** `null`: the session does not exist. */
  readonly checkpointId: string | null;
  readonly context: object | undefined;
}

/** Rows of Mastra's memory, read from sessions of a store and written back where they changed. */
export class SavedRows {
  readonly db = new InMemoryDB();
  readonly #store: Workrail;
  readonly #read = new Map<string, ReadState>();

  private constructor(store: Workrail) {
    this.#store = store;
  }

  static async read(store: Workrail, { threads = [], resources = [] }: Scope): Promise<SavedRows> {
    const rows = new SavedRows(store);
    for (const sessionId of await sessionsOf(store, THREAD, threads)) await rows.#readThread(sessionId);
    for (const sessionId of await sessionsOf(store, RESOURCE, resources)) await rows.#readResource(sessionId);
    return rows;
  }

  /** Saves each session whose rows changed, and erases those of deleted rows. Rejects with CONFLICT when another process was faster. */
  async write(): Promise<void> {
    const states = new Map<string, object>();
    const withMessages = [...this.db.messages.values()].map(({ thread_id: id }) => id);
    for (const id of new Set([...this.db.threads.keys(), ...withMessages])) states.set(`${THREAD}${id}`, this.#threadState(id));
    for (const resource of this.db.resources.values()) states.set(`${RESOURCE}${resource.id}`, { resource });
    for (const sessionId of new Set([...this.#read.keys(), ...states.keys()])) await this.#write(sessionId, states.get(sessionId));
  }

  async #readThread(sessionId: string): Promise<void> {
    const context = await this.#readSession<{ thread?: Thread; messages: (Omit<Message, "content"> & { content: unknown })[] }>(sessionId);
    if (context === undefined) return;
    if (context.thread !== undefined) this.db.threads.set(context.thread.id, withDates(context.thread));
    for (const message of context.messages) {
      this.db.messages.set(message.id, withDates({ ...message, content: JSON.stringify(message.content) }));
    }
  }

  async #readResource(sessionId: string): Promise<void> {
    const context = await this.#readSession<{ resource: Resource }>(sessionId);
    if (context !== undefined) this.db.resources.set(context.resource.id, withDates(context.resource));
  }

  async #readSession<State extends object>(sessionId: string): Promise<State | undefined> {
    try {
      const { checkpointId, context } = await this.#store.loadCheckpoint<State>({ sessionId });
      this.#read.set(sessionId, { checkpointId, context });
      return context;
    } catch (error) {
      if (!isWorkrailError(error) || error.code !== "SESSION_NOT_FOUND") throw error;
      this.#read.set(sessionId, { checkpointId: null, context: undefined });
      return undefined;
    }
  }

  /** Contents are kept as JSON, so that search and handoffs read them. Messages may be there before their thread. */
  #threadState(id: string): object {
    const messages = [...this.db.messages.values()].filter((message) => message.thread_id === id);
    const read = messages.map((message) => ({ ...message, content: JSON.parse(message.content) as unknown }));
    return { thread: this.db.threads.get(id), messages: read };
  }

  async #write(sessionId: string, state: object | undefined): Promise<void> {
    const before = this.#read.get(sessionId) ?? { checkpointId: null, context: undefined };
    if (state === undefined) {
      if (before.checkpointId !== null) await this.#store.erase({ sessionId });
      return;
    }
    const context = JSON.parse(JSON.stringify(state)) as object;
    if (JSON.stringify(context) === JSON.stringify(before.context)) return;
    await this.#store.saveCheckpoint({ sessionId, context, expectedParentId: before.checkpointId });
  }
}

/** Returns the sessions of rows, by their ids or all of them, the oldest first. */
async function sessionsOf(store: Workrail, prefix: string, rows: readonly string[] | "all"): Promise<readonly string[]> {
  if (rows !== "all") return rows.map((id) => `${prefix}${id}`);
  const found: { readonly id: string; readonly createdAt: string }[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const { sessions, total } = await store.listSessions({ project: null, limit: PAGE, offset });
    found.push(...sessions.filter(({ id }) => id.startsWith(prefix)));
    if (offset + PAGE >= total) break;
  }
  return found.toSorted((left, right) => Date.parse(left.createdAt) - Date.parse(right.createdAt)).map(({ id }) => id);
}

function withDates<Row extends { readonly createdAt: Date }>(row: Row): Row {
  const { updatedAt } = row as { readonly updatedAt?: Date };
  return { ...row, createdAt: new Date(row.createdAt), ...(updatedAt === undefined ? {} : { updatedAt: new Date(updatedAt) }) };
}

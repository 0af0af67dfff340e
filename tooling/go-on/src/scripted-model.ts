import type { Tool } from "@modelcontextprotocol/sdk/types.js";

type Fields = Record<string, unknown>;

/** Calls a tool and returns the answer's text as a model reads it. */
export type Call = (tool: string, given: Fields) => Promise<{ readonly text: string; readonly isError: boolean }>;

const BUDGET = 4_000;

export interface ModelOptions {
  readonly tools: readonly Tool[];
  readonly call: Call;
  /** Empty for a model that has just been started. */
  readonly window?: Fields;
}

/**
 * A model with fixed rules. It knows the list of tools, its window, and the answers. Its rules are those of a language model that reads
 * descriptions: it looks for the tool that accepts its data.
 */
export class ScriptedModel {
  readonly #name: string;
  readonly #call: Call;
  readonly #save: string;
  readonly #resume: string;
  readonly #load: string;
  /** Its knowledge of the work. */
  #window: Fields;
  #sessionId = "";
  #saves = 0;

  /**
   * @param name of the agent, for the ids of its checkpoints.
   */
  constructor(name: string, { tools, call, window = {} }: ModelOptions) {
    this.#name = name;
    this.#call = call;
    this.#save = toolWith(tools, ["context", "patch"]);
    this.#resume = toolWith(tools, ["hint", "depth"]);
    this.#load = toolWith(tools, ["keys", "range"]);
    this.#window = window;
  }

  get window(): Fields {
    return this.#window;
  }

  /** Saves its whole window, under a name that it chooses. */
  async saveAll(name: string): Promise<void> {
    this.#sessionId = name;
    await this.#send({ context: this.#window });
  }

  /** Continues the work, and saves only the changes. */
  async change(set: Fields, append: Record<string, unknown[]> = {}): Promise<void> {
    this.#remember(set, append);
    await this.#send({ patch: { set, append } });
  }

  /** Makes the mistake of a model in a hurry: sends the changes as the whole state, then follows the warning in the answer. */
  async changeInAHurry(set: Fields): Promise<void> {
    this.#remember(set, {});
    const answer = await this.#send({ context: set });
    if (answer["droppedKeys"] === undefined) return;
    await this.#send({ patch: { set }, parentId: answer["parentId"] });
  }

  /** Sends the changes as JSON text. */
  async changeAsText(set: Fields): Promise<void> {
    this.#remember(set, {});
    await this.#send({ patch: JSON.stringify({ set }) });
  }

  /** Resumes the work that it finds. When entries did not fit, it fetches the largest. */
  async takeUp(): Promise<string> {
    let found = await this.#ask(this.#resume, {});
    const candidates = found["candidates"] as readonly Fields[] | undefined;
    if (candidates?.length === 1)
      found = await this.#ask(this.#resume, { checkpointId: candidates[0]?.["checkpointId"], budgetTokens: BUDGET });
    this.#sessionId = String(found["sessionId"]);
    this.#window = found["context"] as Fields;
    const read = [JSON.stringify(candidates ?? []), JSON.stringify(found)];
    for (const list of ["shortened", "omitted"]) {
      const [largest] = (found[list] as { entries: readonly { key: string }[] } | undefined)?.entries ?? [];
      if (largest === undefined) continue;
      const given = { checkpointId: found["checkpointId"], keys: [largest.key], budgetTokens: 1_000 };
      read.push(JSON.stringify(await this.#ask(this.#load, given)));
    }
    return read.join("\n");
  }

  #remember(set: Fields, append: Record<string, unknown[]>): void {
    const longer = Object.entries(append).map(([key, items]) => [key, [...((this.#window[key] as unknown[] | undefined) ?? []), ...items]]);
    this.#window = { ...this.#window, ...set, ...(Object.fromEntries(longer) as Fields) };
  }

  /** Saves under its own checkpoint id, so that a call with a lost answer can be repeated. */
  async #send(given: Fields): Promise<Fields> {
    const checkpointId = `${this.#sessionId}-${this.#name}${++this.#saves}`;
    return this.#ask(this.#save, { sessionId: this.#sessionId, checkpointId, ...given });
  }

  async #ask(tool: string, given: Fields): Promise<Fields> {
    const { text, isError } = await this.#call(tool, given);
    if (isError) throw new Error(`A rule of the model led to an error. ${text}`);
    return JSON.parse(text) as Fields;
  }
}

/** Returns the tool that accepts all of these properties. */
function toolWith(tools: readonly Tool[], properties: readonly string[]): string {
  const found = tools.find(({ inputSchema }) => properties.every((name) => Object.hasOwn(inputSchema.properties ?? {}, name)));
  if (found === undefined) throw new Error(`No tool takes ${properties.join(" and ")}.`);
  return found.name;
}

import type { Tool } from "@modelcontextprotocol/sdk/types.js";

type Fields = Record<string, unknown>;

/** Calls a tool and gives what a model reads of the answer. */
export type Call = (tool: string, given: Fields) => Promise<{ readonly text: string; readonly isError: boolean }>;

const BUDGET = 4_000;

/**
 * A model of fixed rules: it knows the list of tools, what it holds in its window, and what answers say. Its rules are those that a
 * language model follows when it reads descriptions: it looks for the tool that takes what it has to give.
 */
export class ScriptedModel {
  readonly #name: string;
  readonly #call: Call;
  readonly #save: string;
  readonly #resume: string;
  readonly #load: string;
  /** What it knows of its work. */
  #window: Fields;
  #sessionId = "";
  #saves = 0;

  /**
   * @param name of the agent, for the ids of its checkpoints.
   * @param window empty for a model that has just been started.
   */
  constructor(name: string, tools: readonly Tool[], call: Call, window: Fields = {}) {
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

  /** Saves all that it holds, under a name that it chooses. */
  async saveAll(name: string): Promise<void> {
    this.#sessionId = name;
    await this.#send({ context: this.#window });
  }

  /** Goes on with the work, and saves only what that changed. */
  async change(set: Fields, append: Record<string, unknown[]> = {}): Promise<void> {
    this.#remember(set, append);
    await this.#send({ patch: { set, append } });
  }

  /** The same as models do it in a hurry: what changed is sent as if it were all. What the answer says of that is mended. */
  async changeInAHurry(set: Fields): Promise<void> {
    this.#remember(set, {});
    const answer = await this.#send({ context: set });
    if (answer["droppedKeys"] === undefined) return;
    await this.#send({ patch: { set }, parentId: answer["parentId"] });
  }

  /** The same with the changes as a text of JSON. */
  async changeAsText(set: Fields): Promise<void> {
    this.#remember(set, {});
    await this.#send({ patch: JSON.stringify({ set }) });
  }

  /** Takes up what it finds. Where something is named that did not fit, it looks at the largest of that. */
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

  /** Under an id of its own, so that a call whose answer is lost can be repeated. */
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

/** The tool that takes all of these. */
function toolWith(tools: readonly Tool[], properties: readonly string[]): string {
  const found = tools.find(({ inputSchema }) => properties.every((name) => Object.hasOwn(inputSchema.properties ?? {}, name)));
  if (found === undefined) throw new Error(`No tool takes ${properties.join(" and ")}.`);
  return found.name;
}

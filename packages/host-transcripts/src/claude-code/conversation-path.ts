/** A linked entry of a transcript. */
export interface LinkedEntry {
  readonly id: string;
  /** Id of the previous entry; `null`: the entry begins a conversation; `undefined`: the previous line of the file is the previous entry. */
  readonly parent: string | null | undefined;
  /** True for a prompt of the person. */
  readonly isPrompt: boolean;
  /** True when the entry can be the first one after the person went back. */
  readonly mayGoBack: boolean;
}

/** An entry of the path. */
interface Step {
  readonly place: number;
  readonly id: string;
  readonly isPrompt: boolean;
  readonly before: Step | undefined;
}

/** A whole UUID. A part is not unique: some kinds begin with a time, others end with a machine. */
const ID_CHARS = 36;
const MAX_TIP_IDS = 24;

/**
 * Follows a conversation through a file in which each entry names the previous one.
 *
 * When a person goes back, the next entry of the person names an entry before the latest prompt, and the branch between is left.
 * No other link leaves a branch. Results of parallel tools, and prompts that wait while a tool runs, link to each other in
 * many ways, and the host may link an answer to an entry before the prompt.
 */
export class ConversationPath {
  readonly #steps = new Map<string, Step>();
  /** The number of steps that come from earlier lines. */
  readonly #given: number;
  #count = 0;
  #last: Step | undefined;
  #needsLinesBefore = false;

  /** @param tip end of the path of the earlier lines; `undefined` at the beginning of the file. */
  constructor(tip: string | undefined) {
    const ids = (tip ?? "").split(" ").filter((id) => id !== "");
    for (const [index, id] of ids.entries()) this.#append({ id, isPrompt: index === 0, before: this.#last });
    this.#given = ids.length;
  }

  has(id: string): boolean {
    return this.#steps.has(shortId(id));
  }

  /** True when the person went back beyond the known entries, so earlier lines are needed. Never true when the file is read from its beginning. */
  get needsLinesBefore(): boolean {
    return this.#needsLinesBefore;
  }

  /** Adds the next entry of the file, and returns its place. */
  add({ id, parent, isPrompt, mayGoBack }: LinkedEntry): number {
    const before = parent === undefined || !mayGoBack ? this.#last : this.#stepBefore(parent);
    return this.#append({ id: shortId(id), isPrompt, before });
  }

  /** The places of the entries in the conversation, after the last entry. */
  places(): ReadonlySet<number> {
    const places = new Set<number>();
    for (let step = this.#last; step !== undefined; step = step.before) places.add(step.place);
    return places;
  }

  /** The latest prompt and the last entries after it. */
  tip(): string {
    const ids: string[] = [];
    for (let step = this.#last; step !== undefined; step = step.before) {
      if (step.isPrompt || ids.length < MAX_TIP_IDS - 1) ids.unshift(step.id);
      if (step.isPrompt) break;
    }
    return ids.join(" ");
  }

  #append(step: Omit<Step, "place">): number {
    this.#last = { place: this.#count++, ...step };
    this.#steps.set(step.id, this.#last);
    return this.#last.place;
  }

  #stepBefore(parent: string | null): Step | undefined {
    const target = parent === null ? undefined : this.#steps.get(shortId(parent));
    if (target === undefined && (this.#given > 0 || parent !== null)) {
      // In a whole file a missing entry was lost, so the conversation continues.
      this.#needsLinesBefore ||= this.#given > 0;
      return this.#last;
    }
    if (!this.#isLeftBehind(target)) return this.#last;
    this.#needsLinesBefore ||= target !== undefined && target.place < this.#given - 1;
    return target;
  }

  /** Tells whether a prompt follows the step, or the person left the step's branch. */
  #isLeftBehind(target: Step | undefined): boolean {
    let step = this.#last;
    for (; step !== undefined && step !== target; step = step.before) if (step.isPrompt) return true;
    return step !== target;
  }
}

function shortId(id: string): string {
  return id.slice(0, ID_CHARS).replaceAll(" ", "_");
}

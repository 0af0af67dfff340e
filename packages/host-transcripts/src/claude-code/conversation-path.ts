/** A linked entry of a transcript. */
export interface LinkedEntry {
  readonly id: string;
  /** The entry that it follows; `null`: it begins a conversation; `undefined`: it follows the entry before it in the file. */
  readonly parent: string | null | undefined;
  /** The person asks for something. */
  readonly isPrompt: boolean;
  /** It may be the first entry after the person went back. */
  readonly mayGoBack: boolean;
}

/** An entry of the path. */
interface Step {
  readonly place: number;
  readonly id: string;
  readonly isPrompt: boolean;
  readonly before: Step | undefined;
}

/** A whole UUID: the first characters of some kinds are a time, the last ones of others a machine. */
const ID_CHARS = 36;
const MAX_TIP_IDS = 24;

/**
 * Follows a conversation through a file in which entries name the entry that they follow.
 *
 * A person who goes back leaves a branch behind: the next entry of the person then follows one that was written before the latest prompt.
 * Nothing else leaves anything: the results of tools that run at once, and prompts that wait while a tool runs, follow each other in
 * many shapes, and the host may link the answer to an entry before the prompt.
 */
export class ConversationPath {
  readonly #steps = new Map<string, Step>();
  /** How many steps are of the lines before. */
  readonly #given: number;
  #count = 0;
  #last: Step | undefined;
  #needsLinesBefore = false;

  /** @param tip of the path of the lines before; `undefined` at the beginning of the file. */
  constructor(tip: string | undefined) {
    const ids = (tip ?? "").split(" ").filter((id) => id !== "");
    for (const [index, id] of ids.entries()) this.#append({ id, isPrompt: index === 0, before: this.#last });
    this.#given = ids.length;
  }

  has(id: string): boolean {
    return this.#steps.has(shortId(id));
  }

  /** The person went back to before the entries that are known, so the lines before are needed. Never at a whole file. */
  get needsLinesBefore(): boolean {
    return this.#needsLinesBefore;
  }

  /** Takes the next entry of the file, and gives its place. */
  add({ id, parent, isPrompt, mayGoBack }: LinkedEntry): number {
    const before = parent === undefined || !mayGoBack ? this.#last : this.#stepBefore(parent);
    return this.#append({ id: shortId(id), isPrompt, before });
  }

  /** The places of the conversation as it is after the last entry. */
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
      // In a whole file an entry that is not there was lost: the conversation goes on.
      this.#needsLinesBefore ||= this.#given > 0;
      return this.#last;
    }
    if (!this.#isLeftBehind(target)) return this.#last;
    this.#needsLinesBefore ||= target !== undefined && target.place < this.#given - 1;
    return target;
  }

  /** Whether a prompt was written after the step, or the step is on a branch that was left. */
  #isLeftBehind(target: Step | undefined): boolean {
    let step = this.#last;
    for (; step !== undefined && step !== target; step = step.before) if (step.isPrompt) return true;
    return step !== target;
  }
}

function shortId(id: string): string {
  return id.slice(0, ID_CHARS).replaceAll(" ", "_");
}

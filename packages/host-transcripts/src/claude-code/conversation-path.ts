/** A linked entry of a transcript. */
export interface LinkedEntry {
  readonly id: string;
  /** The entry that it follows; `null`: it begins a conversation; `undefined`: it goes on where the file is. */
  readonly parent: string | null | undefined;
  /** It begins a turn: a person's prompt or command. */
  readonly isPrompt: boolean;
}

/** Enough to tell entries of one turn apart; whole ids would make positions long. */
const ID_CHARS = 13;
const MAX_TIP_IDS = 24;
/** The turn that was current before the first entry. */
const FIRST_TURN = 0;

/**
 * Follows a conversation through a file in which entries name the entry that they follow.
 *
 * A person who goes back leaves a branch behind: the next prompt then follows an entry of an earlier turn, and the turns between are
 * left. Only a prompt does that. The calls and results of tools that run at once follow each other in many shapes within a turn.
 */
export class ConversationPath {
  readonly #turnOf = new Map<string, number>();
  /** For each turn the one before it; -1 for the beginning of the conversation. */
  readonly #turnBefore: number[] = [-1];
  readonly #isWhole: boolean;
  #needsLinesBefore = false;

  /** @param tip of the path of the lines before; `undefined` at the beginning of the file. */
  constructor(tip: string | undefined) {
    this.#isWhole = tip === undefined;
    for (const id of (tip ?? "").split(" ")) if (id !== "") this.#turnOf.set(id, FIRST_TURN);
  }

  has(id: string): boolean {
    return this.#turnOf.has(shortId(id));
  }

  /** An entry followed one that was not seen, so the lines before are needed to tell what the conversation is. Never at a whole file. */
  get needsLinesBefore(): boolean {
    return this.#needsLinesBefore;
  }

  /** Gives the turn of the next entry of the file. */
  place({ id, parent, isPrompt }: LinkedEntry): number {
    const before = this.#turnOfParent(parent, isPrompt);
    const turn = isPrompt ? this.#turnBefore.push(before) - 1 : before;
    this.#turnOf.set(shortId(id), turn);
    return turn;
  }

  /** The turns of the conversation as it is after the last entry. */
  turns(): ReadonlySet<number> {
    const turns = new Set<number>();
    for (let turn = this.#current(); turn >= 0; turn = this.#turnBefore[turn] ?? -1) turns.add(turn);
    return turns;
  }

  /** The first and the last entries of the current turn. */
  tip(): string {
    const current = this.#current();
    const ids = [...this.#turnOf].flatMap(([id, turn]) => (turn === current ? id : []));
    return [...ids.slice(0, 1), ...ids.slice(1).slice(1 - MAX_TIP_IDS)].join(" ");
  }

  #turnOfParent(parent: string | null | undefined, isPrompt: boolean): number {
    if (parent === undefined || (parent === null && !isPrompt)) return this.#current();
    const turn = parent === null ? undefined : this.#turnOf.get(shortId(parent));
    if (turn !== undefined) return turn;
    this.#needsLinesBefore ||= !this.#isWhole;
    // A prompt that follows nothing begins the conversation anew. Any other entry was lost: the conversation goes on.
    return parent === null && this.#isWhole ? -1 : this.#current();
  }

  #current(): number {
    return this.#turnBefore.length - 1;
  }
}

function shortId(id: string): string {
  return id.slice(0, ID_CHARS);
}

/**
 * The numbers that decide what is kept. They were found by trying on recorded sessions of agents at a fifth, a tenth and
 * a twentieth of their tokens: which of the ids, paths and names that an agent used later were still there. The ground is
 * flat: halving or doubling any one of them changes that by a few percent, so none is worth more digits.
 */
export const WEIGHTS = {
  /**
   * What a term is worth for what it looks like. What no one could guess or say in other words, such as a path, an id or
   * a hash, is lost when it is left out; a word comes again in other sentences.
   */
  looks: {
    /** `src/main.ts`, `https://example.org/a` */
    path: 5,
    /** `max_retries`, `TimeDelta`, `value.total_seconds` */
    identifier: 5,
    /** `HAT136`, `credit_card_4421486`, `e3b0c442` */
    code: 5,
    /** `2026-01-31`, and times with it */
    date: 4,
    /** `78750`, `14742`: rarely a mere amount */
    longNumber: 3,
    /** `1474`, `250` */
    number: 0.7,
    digit: 0.4,
    /** `Seattle`, `GET`; the first word of a sentence too */
    name: 0.9,
    word: 0.8,
    /** Words of one or two letters that are no stop-words */
    short: 0.15,
    /** Longer than any name: an encoded file, a signature */
    blob: 0.2,
  },
  /** Who said it. What was asked for and done decides what is done next; rules come again with each prompt. */
  voices: { asks: 1.3, says: 1.3, acts: 1.5, reports: 1, rules: 0.5, data: 1 },
  /** What recurs is needed again, but not twice as much for being said twice: the sum of the weights of its mentions to this power. */
  recurringAnchor: 0.6,
  /** What else decides of terms, where work is done. */
  work: {
    /** The same of words. Anchors are repeated on purpose, words by habit; yet words that are said once are mostly chatter. */
    recurringWord: 0.8,
    /** A term among many weighs less: of fifty flights in a list one is booked. To this power of their number beyond `uncrowded`. */
    crowd: 0.4,
    /** The first piece says what it is all about, the last where it stands. */
    first: 2,
    last: 1.5,
  },
  /** In mere talk facts are said once, many in a turn, and what comes first and last is a greeting. */
  talk: { recurringWord: 0, crowd: 0, first: 1, last: 1 },
  uncrowded: 4,
  /** Of talk fewer messages than this share have more units than so many; where more have, something was pasted. */
  longMessages: 0.05,
  longMessage: 25,
  /** Terms of more than half of all pieces are a refrain, such as a prompt: kept, but not for each mention. */
  refrain: 0.7,
  /** What is oldest weighs this much, what is newest 1: later actions use what was seen late. */
  oldest: 0.6,
  /** So many units from the beginning of what somebody asks say what they want; the rest explains. */
  leads: 4,
  lead: 1.6,
  /** Lines that tell of an error: they are why the next thing was done. */
  error: 1.5,
  /** What a second mention of a term is worth, and a third of that: little, as it is there already. */
  again: 0.1,
  /** A line among others that are the same but for their figures weighs less: to this power of their number. */
  alike: 0.6,
  /** Tokens that each unit costs besides its own, so that none wins for being short alone. */
  overhead: 3,
  /** How far apart relevance to the focus sets units: its power. */
  focus: 3,
  /** What of a conversation has nothing to do with the focus: what somebody asks for, and all the rest. The best has 1. */
  asked: 0.2,
  unsought: 0.002,
  /** The share of a neighbour's relevance: the answer stands beside the words of the question as often as among them. */
  neighbour: 0.4,
} as const;

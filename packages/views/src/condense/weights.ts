/**
 * Weights that decide which parts are kept. They were tuned on recorded agent sessions at a fifth, a tenth and a twentieth of
 * their tokens: how many of the ids, paths and names that the agent used later were kept. The optimum is flat: halving or
 * doubling any weight changes the result by a few percent, so more digits would not help.
 */
export const WEIGHTS = {
  /**
   * Worth of a term by its form. A path, an id or a hash cannot be guessed or paraphrased and is lost when omitted; a word recurs
   * in other sentences.
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
    /** `Seattle`, `GET`; also the first word of a sentence */
    name: 0.9,
    word: 0.8,
    /** Words of one or two letters that are not stop words */
    short: 0.15,
    /** Longer than any name: an encoded file or a signature */
    blob: 0.2,
  },
  /** By voice. Requests and actions determine the next step; rules recur with each prompt. */
  voices: { asks: 1.3, says: 1.3, acts: 1.5, reports: 1, rules: 0.5, data: 1 },
  /** Exponent on the total weight of mentions: recurring anchors are needed again, but twice the mentions do not double the need. */
  recurringAnchor: 0.6,
  /** Further weights for sessions with work. */
  work: {
    /** The same exponent for words. Anchors are repeated on purpose, words by habit; but words said once are mostly chatter. */
    recurringWord: 0.8,
    /**
     * Exponent that lowers terms in long lists, applied to their number beyond `uncrowded`: of fifty flights in a list, one is
     * booked.
     */
    crowd: 0.4,
    /** The first piece states the subject, the last one the current state. */
    first: 2,
    last: 1.5,
  },
  /** Further weights for chats, in which facts are said once, many per turn, and the first and last pieces are greetings. */
  talk: { recurringWord: 0, crowd: 0, first: 1, last: 1 },
  uncrowded: 4,
  /** In a chat, at most this share of messages has more than `longMessage` units; otherwise something was pasted. */
  longMessages: 0.05,
  longMessage: 25,
  /** Factor for terms of more than half of all pieces, such as a repeated prompt: kept, but not for each mention. */
  refrain: 0.7,
  /** Weight of the oldest piece; the newest has 1, because later actions use recent information. */
  oldest: 0.6,
  /** Number of units at the beginning of a request that state it; the rest explains. */
  leads: 4,
  lead: 1.6,
  /** Lines with an error: they are the reason for the next action. */
  error: 1.5,
  /** Factor for each repeated mention of a term that is already kept. */
  again: 0.1,
  /** Exponent that lowers lines that are equal except for numbers. */
  alike: 0.6,
  /** Extra tokens per unit, so that short units do not win by length alone. */
  overhead: 3,
  /** Exponent on relevance to the focus. */
  focus: 3,
  /** Smallest relevance of units unrelated to the focus: requests, and all others. The best unit has 1. */
  asked: 0.2,
  unsought: 0.002,
  /** Share of a neighbour's relevance: an answer is as often next to the words of the question as among them. */
  neighbour: 0.4,
} as const;

import type { TranscriptEvent } from "@workrail/core";
import { collectFacts } from "../collect-facts.ts";
import { type JsonRecord, parseRecord, recordOf, recordsOf, textOf } from "../json-record.ts";
import type { ReadEvents, TranscriptReader } from "../transcript-reader.ts";
import { type GeminiCounts, geminiMessageEvents, NOTHING_GIVEN } from "./gemini-message-events.ts";

/** Begins to read a Gemini CLI chat, which is a line for each version of a message. */
export function beginGeminiReader(file: string, tip: string | undefined): GeminiReader {
  return new GeminiReader(file, tip);
}

/** A later version of a message comes at most this many messages after it. */
const MAX_TIP_MESSAGES = 5;
/** Ids have 36 characters. An id of another form is not recognized again. */
const TIP_ID = /^[\w.:-]{1,48}$/u;

/**
 * Reads the records of a Gemini CLI chat.
 *
 * An id repeats when its message grew. Then only the new events are given, at the place of the new version, so the events of a
 * part never depend on where an earlier call stopped.
 */
export class GeminiReader implements TranscriptReader {
  readonly #isWhole: boolean;
  readonly #facts = collectFacts();
  readonly #given = new Map<string, GeminiCounts>();
  #found: { readonly id: string; readonly event: TranscriptEvent }[] = [];
  #isSubagent: boolean;

  constructor(file: string, tip: string | undefined) {
    this.#isWhole = tip === undefined;
    // Chats of sub-agents are in a folder named by the session.
    this.#isSubagent = !/(?:^|[/\\])session-[^/\\]*$/u.test(file) && /[/\\]chats[/\\][^/\\]+[/\\][^/\\]+$/u.test(file);
    for (const entry of (tip ?? "").split(" ")) this.#remember(entry);
  }

  accept(line: Buffer): "rewound" | undefined {
    const record = parseRecord(line.toString("utf8"));
    return record === undefined ? undefined : this.acceptRecord(record);
  }

  /** Takes a parsed line, or a whole chat in the form of older versions. */
  acceptRecord(record: JsonRecord): "rewound" | undefined {
    const rewindTo = textOf(record["$rewindTo"]);
    if (rewindTo !== undefined) return this.#rewind(rewindTo);
    const id = textOf(record["id"]);
    if (id !== undefined) return this.#acceptMessage(id, record);
    const head = recordOf(record["$set"]) ?? record;
    this.#addFacts(head);
    return this.#acceptHistory(recordsOf(head["messages"]));
  }

  finish(): ReadEvents {
    const last = [...this.#given].slice(-MAX_TIP_MESSAGES).filter(([id]) => TIP_ID.test(id));
    const tip = last.map(([id, given]) => `${id}=${given.join(",")}`).join(" ");
    return { events: this.#found.map(({ event }) => event), facts: this.#facts.facts(this.#isSubagent), tip };
  }

  /** Takes the list of all messages that the host writes when a session is resumed. Only messages after the last known one are new. */
  #acceptHistory(messages: readonly JsonRecord[]): "rewound" | undefined {
    const known = messages.findLastIndex((message) => this.#given.has(textOf(message["id"]) ?? ""));
    const fresh = messages.slice(known + 1).filter((message) => geminiMessageEvents(message, NOTHING_GIVEN).events.length > 0);
    if (known === -1 && !this.#isWhole && fresh.length > 0) return "rewound";
    for (const message of fresh) this.#acceptMessage(textOf(message["id"]) ?? "", message);
    return undefined;
  }

  #acceptMessage(id: string, message: JsonRecord): undefined {
    this.#facts.add({ at: message["timestamp"] });
    const { events, given } = geminiMessageEvents(message, this.#given.get(id) ?? NOTHING_GIVEN);
    // Moved to the end, because only the latest messages can grow.
    this.#given.delete(id);
    this.#given.set(id, given);
    this.#found.push(...events.map((event) => ({ id, event })));
    return undefined;
  }

  /** The user rewound beyond a message. */
  #rewind(id: string): "rewound" | undefined {
    if (!this.#isWhole) return "rewound";
    const first = this.#found.findIndex((found) => found.id === id);
    const isKnown = this.#given.has(id);
    if (first !== -1 || !isKnown) this.#found = this.#found.slice(0, Math.max(first, 0));
    return undefined;
  }

  #addFacts(head: JsonRecord): void {
    this.#facts.add({ sessionId: head["sessionId"], title: head["summary"], at: head["startTime"] });
    this.#isSubagent ||= head["kind"] === "subagent";
  }

  #remember(entry: string): void {
    const [id = "", counts = ""] = entry.split("=");
    const [thoughts = 0, words = 0, calls = 0, results = 0] = counts.split(",").map(Number);
    if (id !== "") this.#given.set(id, [thoughts, words, calls, results]);
  }
}

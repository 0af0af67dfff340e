import type { TranscriptEvent } from "@workrail/core";
import { collectFacts } from "../collect-facts.ts";
import { type JsonRecord, parseRecord, recordOf, textOf, timeOf } from "../json-record.ts";
import type { ReadEvents, TranscriptReader } from "../transcript-reader.ts";
import { codexEventMessage } from "./codex-event-message.ts";
import { codexResponseItem } from "./codex-response-item.ts";

/** Begins to read a Codex rollout. */
export function beginCodexReader(_file: string, tip: string | undefined): TranscriptReader {
  return new CodexReader(tip);
}

const HEAD_BYTES = 200;
const TYPES = /^\{"timestamp":"[^"\\]*",(?:"ordinal":\d+,)?"type":"([a-z_]+)","payload":\{(?:"type":"([a-z_]+)")?/u;
const WANTED_EVENTS = new Set(["item_completed", "user_message", "turn_aborted", "thread_rolled_back"]);

/** Tells whether the first bytes of a line show that it has no event. In doubt the line is parsed. */
function isNoise(line: Buffer): boolean {
  const [, type, inner] = TYPES.exec(line.toString("latin1", 0, HEAD_BYTES)) ?? [];
  if (type === undefined || type === "session_meta" || type === "response_item" || type === "compacted") return false;
  return type !== "event_msg" || (inner !== undefined && !WANTED_EVENTS.has(inner));
}

class CodexReader implements TranscriptReader {
  readonly #isWhole: boolean;
  readonly #facts = collectFacts();
  #events: TranscriptEvent[] = [];
  /** The number of events before each turn of the person. */
  #turns: number[] = [];
  #isSubagent = false;
  #lastPrompt: string | undefined;

  constructor(tip: string | undefined) {
    this.#isWhole = tip === undefined;
    this.#lastPrompt = tip === undefined || tip === "" ? undefined : tip;
  }

  accept(line: Buffer): "rewound" | undefined {
    if (isNoise(line)) return undefined;
    const entry = parseRecord(line.toString("utf8"));
    if (entry === undefined) return undefined;
    // The first rollouts had neither times nor payloads: each line is an item.
    const payload = recordOf(entry["payload"]) ?? entry;
    const at = timeOf(entry["timestamp"]);
    this.#facts.add({ at });
    if (payload["type"] === "thread_rolled_back") return this.#rollBack(payload);
    for (const event of this.#eventsOf(entry, payload)) this.#add(event, at);
    return undefined;
  }

  finish(): ReadEvents {
    return { events: this.#events, facts: this.#facts.facts(this.#isSubagent), tip: this.#lastPrompt };
  }

  #eventsOf(entry: JsonRecord, payload: JsonRecord): readonly TranscriptEvent[] {
    const isBare = payload === entry;
    if (entry["type"] === "session_meta" || (isBare && entry["type"] === undefined)) this.#addFacts(payload);
    if (entry["type"] === "event_msg") return codexEventMessage(payload);
    if (entry["type"] === "response_item" || isBare) return codexResponseItem(payload, isBare);
    const summary = entry["type"] === "compacted" ? textOf(payload["message"]) : undefined;
    return summary === undefined ? [] : [{ kind: "summary", text: summary }];
  }

  #add(event: TranscriptEvent, at: string | undefined): void {
    if (event.kind === "prompt") {
      // Some versions write a prompt twice, in two forms.
      const mark = `${event.text.length}:${event.text.slice(0, 60)}`;
      if (mark === this.#lastPrompt) return;
      this.#lastPrompt = mark;
      this.#turns.push(this.#events.length);
    } else this.#lastPrompt = undefined;
    this.#events.push(at === undefined ? event : { ...event, at });
  }

  #rollBack(payload: JsonRecord): "rewound" | undefined {
    const count = payload["num_turns"] ?? 1;
    if (typeof count !== "number" || !Number.isInteger(count) || count < 1) return undefined;
    if (!this.#isWhole && count > this.#turns.length) return "rewound";
    this.#events = this.#events.slice(0, this.#turns.at(-count) ?? 0);
    this.#turns = this.#turns.slice(0, -count);
    this.#lastPrompt = undefined;
    return undefined;
  }

  #addFacts(meta: JsonRecord): void {
    const git = recordOf(meta["git"]);
    this.#facts.add({ sessionId: meta["id"] ?? meta["session_id"], cwd: meta["cwd"], branch: git?.["branch"], at: meta["timestamp"] });
    this.#isSubagent ||= meta["thread_source"] === "subagent" || recordOf(meta["source"])?.["subagent"] !== undefined;
  }
}

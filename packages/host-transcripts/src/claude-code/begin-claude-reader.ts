import type { TranscriptEvent } from "@workrail/core";
import { collectFacts } from "../collect-facts.ts";
import { type JsonRecord, parseRecord, recordOf, textOf } from "../json-record.ts";
import type { ReadEvents, TranscriptReader } from "../transcript-reader.ts";
import { claudeEntryEvents, partsOf } from "./claude-entry-events.ts";
import { ConversationPath } from "./conversation-path.ts";
import { lookAtClaudeLine } from "./look-at-claude-line.ts";

/** Tells by its name whether a Claude Code transcript is of a sub-agent. */
function isSubagentFile(file: string): boolean {
  return /(?:^|[/\\])agent-[^/\\]*\.jsonl$/u.test(file);
}

/** The session of a transcript by its name. Entries copied from an earlier session have the id of that one. */
function sessionOfFile(file: string): string | undefined {
  return /(?<=^|[/\\])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=\.jsonl$)/u.exec(file)?.[0];
}

/** Begins to read a Claude Code transcript. */
export function beginClaudeReader(file: string, tip: string | undefined): TranscriptReader {
  return new ClaudeReader(file, tip);
}

class ClaudeReader implements TranscriptReader {
  readonly #isSubagent: boolean;
  readonly #session: string | undefined;
  readonly #path: ConversationPath;
  readonly #facts = collectFacts();
  readonly #found: { readonly place: number; readonly events: readonly TranscriptEvent[] }[] = [];

  constructor(file: string, tip: string | undefined) {
    this.#isSubagent = isSubagentFile(file);
    this.#session = sessionOfFile(file);
    this.#path = new ConversationPath(tip);
  }

  accept(line: Buffer): "rewound" | undefined {
    const look = lookAtClaudeLine(line, this.#isSubagent);
    if (look === "noise") return undefined;
    if (look === "parse") return this.#acceptEntry(parseRecord(line.toString("utf8")));
    this.#path.add({ ...look, isPrompt: false, mayGoBack: false });
    return undefined;
  }

  finish(): ReadEvents {
    const places = this.#path.places();
    const events = this.#found.flatMap((found) => (places.has(found.place) ? found.events : []));
    return { events, facts: this.#facts.facts(this.#isSubagent), tip: this.#path.tip() };
  }

  #acceptEntry(entry: JsonRecord | undefined): "rewound" | undefined {
    if (entry === undefined) return undefined;
    this.#addFacts(entry);
    const id = textOf(entry["uuid"]);
    if (id === undefined || (entry["isSidechain"] === true && !this.#isSubagent) || this.#path.has(id)) return undefined;
    const events = claudeEntryEvents(entry);
    const isPrompt = events.some((event) => event.kind === "prompt");
    const place = this.#path.add({ id, parent: parentOf(entry), isPrompt, mayGoBack: mayGoBack(entry, isPrompt) });
    if (events.length > 0) this.#found.push({ place, events });
    return this.#path.needsLinesBefore ? "rewound" : undefined;
  }

  #addFacts(entry: JsonRecord): void {
    if (entry["isSidechain"] === true && !this.#isSubagent) return;
    this.#facts.add({
      sessionId: textOf(entry["sessionId"]) === undefined ? undefined : (this.#session ?? entry["sessionId"]),
      cwd: entry["cwd"],
      branch: entry["gitBranch"],
      title: entry["customTitle"] ?? entry["aiTitle"] ?? (entry["type"] === "summary" ? entry["summary"] : undefined),
      at: entry["timestamp"],
    });
  }
}

function parentOf(entry: JsonRecord): string | null | undefined {
  return entry["parentUuid"] === null ? null : textOf(entry["parentUuid"]);
}

/** True for a prompt, a host command, or the note before a command. A prompt that was queued while a tool ran is not a sign of a rewind. */
function mayGoBack(entry: JsonRecord, isPrompt: boolean): boolean {
  if (entry["type"] !== "user" || entry["promptSource"] === "queued") return false;
  const [first] = partsOf(recordOf(entry["message"])?.["content"]);
  return isPrompt || /^(?:<command-|<local-command-caveat|<bash-input|Caveat: )/u.test(textOf(first?.["text"]) ?? "");
}

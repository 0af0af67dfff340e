import type { TranscriptEvent } from "@workrail/core";
import { collectFacts } from "../collect-facts.ts";
import { type JsonRecord, parseRecord, recordOf, textOf } from "../json-record.ts";
import type { ReadEvents, TranscriptReader } from "../transcript-reader.ts";
import { claudeEntryEvents, partsOf } from "./claude-entry-events.ts";
import { ConversationPath } from "./conversation-path.ts";
import { lookAtClaudeLine } from "./look-at-claude-line.ts";

/** Whether a Claude Code transcript is of a sub-agent, as its name says. */
function isSubagentFile(file: string): boolean {
  return /(?:^|[/\\])agent-[^/\\]*\.jsonl$/u.test(file);
}

/** Begins to read a Claude Code transcript. */
export function beginClaudeReader(file: string, tip: string | undefined): TranscriptReader {
  return new ClaudeReader(isSubagentFile(file), tip);
}

class ClaudeReader implements TranscriptReader {
  readonly #isSubagent: boolean;
  readonly #path: ConversationPath;
  readonly #facts = collectFacts();
  readonly #found: { readonly turn: number; readonly events: readonly TranscriptEvent[] }[] = [];

  constructor(isSubagent: boolean, tip: string | undefined) {
    this.#isSubagent = isSubagent;
    this.#path = new ConversationPath(tip);
  }

  accept(line: Buffer): "rewound" | undefined {
    const look = lookAtClaudeLine(line, this.#isSubagent);
    if (look === "noise") return undefined;
    if (look === "parse") return this.#acceptEntry(parseRecord(line.toString("utf8")));
    this.#path.place({ ...look, isPrompt: false });
    return this.#rewound();
  }

  finish(): ReadEvents {
    const turns = this.#path.turns();
    const events = this.#found.flatMap((found) => (turns.has(found.turn) ? found.events : []));
    return { events, facts: this.#facts.facts(this.#isSubagent), tip: this.#path.tip() };
  }

  #acceptEntry(entry: JsonRecord | undefined): "rewound" | undefined {
    if (entry === undefined) return undefined;
    this.#addFacts(entry);
    const id = textOf(entry["uuid"]);
    if (id === undefined || (entry["isSidechain"] === true && !this.#isSubagent) || this.#path.has(id)) return undefined;
    const turn = this.#path.place({ id, parent: parentOf(entry), isPrompt: isPrompt(entry) });
    const events = claudeEntryEvents(entry);
    if (events.length > 0) this.#found.push({ turn, events });
    return this.#rewound();
  }

  #rewound(): "rewound" | undefined {
    return this.#path.needsLinesBefore ? "rewound" : undefined;
  }

  #addFacts(entry: JsonRecord): void {
    if (entry["isSidechain"] === true && !this.#isSubagent) return;
    this.#facts.add({
      sessionId: entry["sessionId"],
      cwd: entry["cwd"],
      branch: entry["gitBranch"],
      title: entry["customTitle"] ?? entry["aiTitle"] ?? (entry["type"] === "summary" ? entry["summary"] : undefined),
      at: entry["timestamp"],
    });
  }
}

/** After a compaction the chain begins anew; the entry names the one that it follows all the same. */
function parentOf(entry: JsonRecord): string | null | undefined {
  const parent = textOf(entry["parentUuid"]) ?? textOf(entry["logicalParentUuid"]);
  return parent ?? (entry["parentUuid"] === null && entry["type"] !== "system" ? null : undefined);
}

function isPrompt(entry: JsonRecord): boolean {
  if (entry["type"] !== "user" || entry["isMeta"] === true || entry["isCompactSummary"] === true) return false;
  const [first] = partsOf(recordOf(entry["message"])?.["content"]);
  const text = textOf(first?.["text"]) ?? "";
  return (
    first?.["type"] !== "tool_result" && !/^(?:<local-command-|<bash-std|<task-notification>|\[Request interrupted by user)/u.test(text)
  );
}

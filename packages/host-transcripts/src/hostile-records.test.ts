import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { beginClaudeReader } from "./claude-code/begin-claude-reader.ts";
import { beginCodexReader } from "./codex/begin-codex-reader.ts";
import { beginGeminiReader } from "./gemini/begin-gemini-reader.ts";
import { readOpencodeMessages } from "./opencode/read-opencode-messages.ts";
import { readRecords } from "../test/read-records.ts";
import { runsOf } from "../../storage-conformance/test/long-form.ts";

const NAMES =
  "type message content text uuid parentUuid isMeta isSidechain timestamp origin kind toolUseResult stdout attachment prompt payload item role " +
  "arguments output name call_id summary num_turns $set $rewindTo messages id thoughts toolCalls result status args functionResponse response " +
  "info parts state metadata time created tool input toString valueOf __proto__";
const WORDS =
  "user assistant attachment queued_command tool_result tool_use thinking text response_item event_msg session_meta compacted function_call_output " +
  "message item_completed UserMessage thread_rolled_back gemini success error tool reasoning completed <command-name> <task-notification> \ud800";

const value = fc.letrec<{ value: unknown; record: unknown }>((tie) => ({
  record: fc.dictionary(fc.constantFrom(...NAMES.split(" ")), tie("value"), { maxKeys: 8 }),
  value: fc.oneof(
    { depthSize: "medium" },
    fc.constantFrom(...WORDS.split(" ")),
    fc.constantFrom(null, true, false, -1, 3, 1e308, ""),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("record"),
  ),
}));

describe("a malformed record", () => {
  it.each([
    ["claude-code", beginClaudeReader],
    ["codex", beginCodexReader],
    ["gemini", beginGeminiReader],
  ] as const)("is read by the reader of %s without a failure", (_host, begin) => {
    fc.assert(
      fc.property(fc.array(value.record, { maxLength: 6 }), (records) => {
        const { events, tip } = readRecords(begin, records);
        for (const event of events)
          expect(["prompt", "reply", "thought", "call", "result", "summary", "interrupted"]).toContain(event.kind);
        expect(tip?.length ?? 0).toBeLessThanOrEqual(400);
      }),
      { numRuns: runsOf(1000) },
    );
  });

  it("is read as a message of opencode without a failure", () => {
    fc.assert(
      fc.property(value.value, (messages) => {
        expect(Array.isArray(readOpencodeMessages(messages))).toBe(true);
      }),
      { numRuns: runsOf(1000) },
    );
  });
});

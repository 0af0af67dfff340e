import { NO_NOTES, noteEvents } from "@workrail/views/work-notes";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { estimated } from "./estimated.ts";
import { writePack } from "./resume-pack.ts";

const long = Array.from({ length: 400 }, (_, at) => `Please check case ${at} of the import, since customer ${at * 7} reported it.`);
const notes = noteEvents(NO_NOTES, [{ kind: "prompt", text: long.join("\n") }]);

describe("writePack", () => {
  it.each([
    ["without remarks", []],
    ["with remarks", ["The branch is main now; it was fix-import.", "3 files changed since."]],
  ])("uses nearly all of its budget when there is more to tell, %s", async (_name, remarks) => {
    const sessionId = "claude-code-062ebfbe-9623-48bf-bc84-7dd1ed5597e5";
    const pack = await writePack({ notes, sessionId, savedAt: "2026-11-24T10:00:00.000Z", budgetTokens: 1_500, remarks });
    expect(estimated(pack)).toBeLessThanOrEqual(1_500);
    expect(estimated(pack)).toBeGreaterThan(1_450);
  });

  it.each(["ሰላም ለዓለም ይሁን", "👩‍👩‍👧‍👦 🏳️‍🌈 ✓", "├── │ ❯ ─→", "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ", "𒀀𒁀 ﷺ ꧁"])(
    "stays within its budget in o200k tokens for %s",
    async (words) => {
      const rare = noteEvents(NO_NOTES, [{ kind: "prompt", text: `${words} `.repeat(400) }]);
      const pack = await writePack({ notes: rare, sessionId: "a", savedAt: "2026-11-24T10:00:00.000Z", budgetTokens: 1_500, remarks: [] });
      expect(encode(pack).length).toBeLessThanOrEqual(1_500);
    },
  );
});

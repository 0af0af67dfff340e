import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Savings } from "@workrail/runtime";
import { beforeEach, describe, expect, it } from "vitest";
import { useCli } from "./testing/use-cli.ts";

const cli = useCli();
const transcript = (): string => path.join(cli.folder, "first.jsonl");

function hook(event: string, sessionId: string): Promise<string> {
  const input = JSON.stringify({ session_id: sessionId, transcript_path: transcript(), cwd: cli.project, source: "startup" });
  return cli.output(["hook", event, "--host", "claude-code"], { input });
}

beforeEach(() => {
  mkdirSync(path.join(cli.project, ".git"));
  const call = { type: "tool_use", id: "1", name: "Bash", input: { command: "npm test" } };
  const result = { type: "tool_result", tool_use_id: "1", content: "1 failed", is_error: true };
  const messages = [
    ["user", "Make the login redirect work."],
    ["assistant", [call]],
    ["user", [result]],
  ] as const;
  const lines = messages.map(([type, content], index) => ({
    type,
    uuid: `u${index}`,
    parentUuid: index === 0 ? null : `u${index - 1}`,
    sessionId: "first",
    cwd: cli.project,
    message: { role: type, content },
  }));
  writeFileSync(transcript(), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
});

describe("workrail stats --savings", () => {
  it("shows saves of hooks, and the packs that they gave to models", async () => {
    await hook("session-end", "first");
    expect(await hook("session-start", "second")).toContain("login redirect");
    await cli.save({ by: "hand" }, "--session", "own");
    const savings = await cli.json<Savings>(["stats", "--savings"]);
    expect(savings).toMatchObject({
      resumes: 1,
      savesByHooks: 1,
      savesByOthers: 1,
      hosts: [{ host: "claude-code", saves: 1, resumes: 1 }],
    });
    expect(savings.packTokensEstimated).toBeGreaterThan(0);
    expect(savings.transcriptTokensEstimated).toBeGreaterThan(0);
    const text = await cli.output(["stats", "--savings"]);
    expect(text).toContain("Saves in the store: 1 by hooks, 1 by agents and people.\n");
    expect(text).toMatch(/\nResumes by hooks: 1, with packs of about \d+ tokens in place of transcripts of about \d+ \(estimates\)\.\n/u);
    expect(text).toMatch(/\nAGENT +LAST SAVE .*\nclaude-code +\d+s +1 +1 +~\d+ +~\d+\n/u);
  });

  it("takes --since for --savings, and says when there is nothing", async () => {
    await cli.save({ a: 1 });
    const { code, stdout, stderr } = await cli.run(["stats", "--since", "2999-01-01"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain("Nothing was saved or resumed since 2999-01-01T00:00:00.000Z");
    expect(await cli.run(["stats", "--savings", "--since", "soon"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("ISO 8601"),
    });
  });
});

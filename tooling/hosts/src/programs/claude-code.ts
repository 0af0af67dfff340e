import { join } from "node:path";
import { writeNewFile } from "../write-new-file.ts";
import type { HostProgram } from "./host-program.ts";

/** Longer keys are cut to their last 20 characters before they are compared with the approved ones. */
const KEY = "sk-ant-scripted-model-on-loopback";

/** Claude Code, as one process that takes prompt after prompt. */
export const claudeCode: HostProgram = {
  binary: "claude",
  packageName: "@anthropic-ai/claude-code",
  version: "2.1.330",
  configure: async ({ home, project }) => {
    const known = {
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
      projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    };
    await writeNewFile(join(home, ".claude.json"), JSON.stringify(known, undefined, 2));
  },
  environment: ({ endpointUrl }) => ({
    ANTHROPIC_BASE_URL: endpointUrl,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    // Without a terminal it offers its task list only on demand.
    CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
    // It refuses to skip permissions as root elsewhere than in a container.
    IS_SANDBOX: "1",
  }),
  starts: (prompts, { continues }) => [
    {
      args: [
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
        "--dangerously-skip-permissions",
        ...(continues ? ["--continue"] : []),
      ],
      input: { lines: prompts.map(promptLine), isAnswered: isResult },
    },
  ],
  transcripts: {
    folder: ".claude/projects",
    isOne: (path) => /^[^/]+\/[^/]+\.jsonl$/.test(path),
    isOfSubagent: (path) => /\/subagents\/agent-[^/]+\.jsonl$/.test(path),
  },
};

function promptLine(prompt: string): string {
  return JSON.stringify({ type: "user", message: { role: "user", content: prompt } });
}

function isResult(line: string): boolean {
  const { type } = JSON.parse(line) as { readonly type?: unknown };
  return type === "result";
}

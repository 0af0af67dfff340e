import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorkrail } from "@workrail/runtime";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { callTool } from "../../../apps/mcp-server/src/call-tool.ts";
import { LazyStore } from "../../../apps/mcp-server/src/lazy-store.ts";
import { createTools } from "../../../apps/mcp-server/src/tools/index.ts";
import { answers, asRead } from "./read-answer.ts";
import type { Question, WorkingState } from "./working-state.ts";

/** Ways in which a successor asks for the work. */
export const MODES = ["view", "viewFocus", "summary", "summaryFocus", "compress", "compressFocus"] as const;
export type Mode = (typeof MODES)[number];

/** The answer to a successor within a budget. */
export interface HandedOver {
  readonly mode: Mode;
  readonly budget: number;
  /** Tokens of the answer as the client receives it (o200k). */
  readonly tokens: number;
  readonly unanswered: readonly Question[];
  readonly text: string;
}

/** Counts special tokens as plain text. */
const PLAIN = { disallowedSpecial: new Set<string>() };

export function tokensOf(text: string): number {
  return encode(text, PLAIN).length;
}

interface HandOverRequest {
  readonly checkpointId: string;
  readonly budgetTokens: number;
  readonly focus: string;
}

function request(mode: Mode, { focus, ...given }: HandOverRequest): [tool: string, given: object] {
  const about = { ...given, ...(mode.endsWith("Focus") ? { focus } : {}) };
  if (mode.startsWith("compress")) return ["workflow_context_compress", about];
  return ["workflow_resume", mode.startsWith("summary") ? { ...about, depth: "summary" } : about];
}

/**
 * Saves a state in a new store, looks for it like a successor who knows nothing of it, and asks for it within each budget. The text of the
 * first answer counts as known, as it does for an agent.
 */
export async function handOver(
  state: WorkingState,
  budgets: readonly number[],
  modes: readonly Mode[] = MODES,
): Promise<readonly HandedOver[]> {
  const place = await mkdtemp(join(tmpdir(), "workrail-go-on-"));
  const project = join(place, "project");
  await mkdir(join(project, ".git"), { recursive: true });
  try {
    await using store = await openWorkrail({ dataDir: join(place, "data"), env: {}, project });
    const tools = createTools(new LazyStore(async () => store));
    const call = async (name: string, given: object): Promise<string> => {
      const tool = tools.find((each) => each.name === name);
      if (tool === undefined) throw new Error(`There is no tool ${name}.`);
      const call = { client: { name: "successor", version: "1" }, signal: new AbortController().signal, progress: () => {}, rounded: [] };
      const { content, isError } = await callTool(tool, given, { call, log: silent, tools });
      if (isError === true) throw new Error(content[0].text);
      return content[0].text;
    };
    // A fixed id takes the same number of tokens each time.
    const checkpointId = `${state.name}-1`;
    await call("workflow_checkpoint_save", { sessionId: state.name, context: state.context, checkpointId });
    const found = await call("workflow_resume", {});
    const results: HandedOver[] = [];
    for (const mode of modes) {
      for (const budget of budgets) {
        const text = await call(...request(mode, { checkpointId, budgetTokens: budget, focus: state.focus }));
        const read = asRead(`${found}\n${text}`);
        const unanswered = state.questions.filter((question) => !answers(read, question));
        results.push({ mode, budget, tokens: tokensOf(text), unanswered, text });
      }
    }
    return results;
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

function ignore(): void {}

const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

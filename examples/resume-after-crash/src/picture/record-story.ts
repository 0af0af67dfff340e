import { execFile } from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";
import type { Context } from "../session-player.ts";
import { WorkrailServer } from "../workrail-server.ts";
import { type Line, answer, call, command, heading, output } from "./terminal-line.ts";

const SESSION_ID = "login-redirect";

/** The states that the agent saves, in order. */
export const STEPS: readonly { readonly name: string; readonly context: Context }[] = [
  { name: "plan", context: { goal: "Fix the login redirect", step: 1 } },
  { name: "reproduced", context: { goal: "Fix the login redirect", step: 2, cause: "/login drops ?next=" } },
];

export interface Story {
  /** Lines of the terminal: calls, answers and output of the real server and the real command line. */
  readonly lines: readonly Line[];
  /** The context that was loaded after the crash. */
  readonly resumed: Context;
}

/**
 * Saves two checkpoints, kills the server, resumes with a new server, and lists the checkpoints.
 *
 * @param program the server, which is the command line too when it is given a command.
 */
export async function recordStory(dataDir: string, program: string): Promise<Story> {
  const lines = [...(await recordSaves(dataDir, program)), heading(""), heading("The server is killed. Nothing was closed or tidied up.")];
  lines.push(command("kill -9 4242"), heading(""));
  const { lines: resumeLines, resumed } = await recordResume(dataDir, program);
  lines.push(...resumeLines, heading(""), heading("You see the same on the command line."));
  lines.push(command("npx -y @workrail/mcp-server list"));
  lines.push(...(await runCommand(dataDir, program, "list")).map((text) => output(text)));
  return { lines: inFixedForm(lines), resumed };
}

async function recordSaves(dataDir: string, program: string): Promise<Line[]> {
  const lines = [heading("An agent saves its state after each step.")];
  const server = await WorkrailServer.start({ program, dataDir, maxCheckpoints: 100 });
  for (const { name, context } of STEPS) {
    const { status, checkpointId } = await server.save({ sessionId: SESSION_ID, context, metadata: { name } });
    lines.push(call("workflow_checkpoint_save", `session ${SESSION_ID}, name ${name}`), output(`    context ${JSON.stringify(context)}`));
    lines.push(answer(`${status}  checkpoint ${checkpointId}`));
  }
  await server.kill();
  return lines;
}

async function recordResume(dataDir: string, program: string): Promise<{ lines: Line[]; resumed: Context }> {
  const server = await WorkrailServer.start({ program, dataDir, maxCheckpoints: 100 });
  const { status, checkpointId, context } = await server.resume({ sessionId: SESSION_ID });
  await server.close();
  const lines = [heading("A new agent with an empty context resumes."), call("workflow_resume", `session ${SESSION_ID}`)];
  lines.push(answer(`${status}  checkpoint ${checkpointId}`), output(`    context ${JSON.stringify(context)}`));
  return { lines, resumed: context };
}

async function runCommand(dataDir: string, program: string, ...args: string[]): Promise<string[]> {
  const env = { ...process.env, WORKRAIL_DATA_DIR: dataDir, NO_COLOR: "1" };
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { env });
  return stdout.trimEnd().split("\n");
}

const FIXED_IDS = ["82b4a384-0a2f-4253-ac46-4bb1e41357b3", "f0cc8272-25df-4a33-8855-e33651694115"];
/** Matches a whole id, or its first eight characters. */
const ID = /\b[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?\b/gu;

/** Replaces ids, ages and sizes, which differ between runs, by fixed values of the same width. */
function inFixedForm(lines: readonly Line[]): Line[] {
  const seen: string[] = [];
  const fixedId = (id: string): string => {
    const first = id.slice(0, 8);
    if (!seen.includes(first)) seen.push(first);
    return FIXED_IDS[seen.indexOf(first)]?.slice(0, id.length) ?? id;
  };
  return lines.map(({ kind, text }) => {
    const exact = text.replaceAll(ID, fixedId).replace(/\b\d+[sm](?= )/u, (age) => "4s".padStart(age.length));
    return { kind, text: exact.replace(/\b\d{3} B\b/u, "400 B") };
  });
}

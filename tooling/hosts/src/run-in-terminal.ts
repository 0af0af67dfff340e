import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { HOST_PROGRAMS } from "./programs/host-programs.ts";
import { hostBinary, hostEnvironment, type HostRun, hostTranscripts } from "./run-host.ts";
import type { Exchange } from "./scenario.ts";
import type { ScriptedEndpoint } from "./scripted-endpoint.ts";

/** One conversation at a terminal. */
export interface TerminalRun extends HostRun {
  readonly host: "claude-code";
  readonly endpoint: ScriptedEndpoint;
  readonly exchanges: readonly Exchange[];
}

/** The prompt sign that appears when the host accepts input. */
const READY = "❯";
const TOOLS = "Bash,Read,Edit,Write,TaskCreate,TaskUpdate";
const ESCAPE = "\u001b";

/** Runs Claude Code in a terminal (`script` of util-linux), types prompts, presses Esc on demand, and leaves by `/exit`. */
export async function runInTerminal(run: TerminalRun): Promise<void> {
  await HOST_PROGRAMS[run.host].configure(run);
  const terminal = openTerminal(run);
  try {
    await until(() => (terminal.screen().includes(READY) ? undefined : `the host takes no input: ${terminal.screen()}`));
    for (const exchange of run.exchanges) await converse(run, terminal, exchange);
    await terminal.type("/exit");
    await terminal.closed;
  } finally {
    terminal.kill();
  }
}

async function converse(run: TerminalRun, terminal: Terminal, { prompt, turns, isEscaped = false }: Exchange): Promise<void> {
  const { endpoint, host, project } = run;
  endpoint.play({ host, project, turns, holdsAtEnd: isEscaped });
  await terminal.type(prompt);
  if (isEscaped) {
    await endpoint.held();
    terminal.press(ESCAPE);
  }
  const last = isEscaped ? "[Request interrupted by user]" : (turns.at(-1)?.text ?? "");
  const wanted = JSON.stringify(last).slice(1, -1);
  await until(async () => ((await transcript(run)).includes(wanted) ? undefined : `the transcript lacks ${wanted}: ${terminal.screen()}`));
}

async function transcript({ host, home }: HostRun): Promise<string> {
  const files = await hostTranscripts(host, home);
  return (await Promise.all(files.map((file) => readFile(file, "utf8")))).join("");
}

/** A program in its own terminal. */
interface Terminal {
  /** All printed text, without colours and cursor movements. */
  screen(): string;
  press(keys: string): void;
  /** Pastes a text, and sends it by Return once the program has shown it. */
  type(text: string): Promise<void>;
  readonly closed: Promise<unknown>;
  kill(): void;
}

function openTerminal(run: HostRun): Terminal {
  const command = `'${hostBinary(run.host, run.hostsFolder)}' --permission-mode acceptEdits --allowedTools ${TOOLS}`;
  const child = spawn("script", ["-qfec", command, "/dev/null"], {
    cwd: run.project,
    env: hostEnvironment(run),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const closed = new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  let printed = "";
  child.stdout.on("data", (bytes: Buffer) => (printed += bytes.toString("utf8")));
  const press = (keys: string): boolean => child.stdin.write(keys);
  const type = async (text: string): Promise<void> => {
    const before = printed.length;
    press(`${ESCAPE}[200~${text}${ESCAPE}[201~`);
    const [word = ""] = text.split(" ");
    await until(() => (printed.slice(before).includes(word) ? undefined : `${word} is not shown: ${printed.slice(before)}`));
    press("\r");
  };
  return { screen: () => withoutMovements(printed), press, type, closed, kill: () => endOf(child) };
}

/** The host moves the cursor instead of printing blanks. */
function withoutMovements(printed: string): string {
  const pieces = printed.split(`${ESCAPE}[`);
  return pieces.map((piece, index) => (index === 0 ? piece : piece.replace(/^\d*C/, " ").replace(/^[\d;?<>=]*[a-zA-Z]/, ""))).join("");
}

function endOf(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
}

/** Waits for a condition. The condition returns the problem until it is met. */
async function until(problem: () => string | undefined | Promise<string | undefined>): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (let wrong = await problem(); wrong !== undefined; wrong = await problem()) {
    if (Date.now() > deadline) throw new Error(`Waited 30 s in vain: ${wrong}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

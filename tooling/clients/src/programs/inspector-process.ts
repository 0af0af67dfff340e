// Runs the command line of the MCP Inspector many times in one process: loading it takes longer than a run. Arguments of a run, as JSON,
// arrive in a line of standard input, and its outcome leaves in a line of standard output.
import { createInterface } from "node:readline";
import process from "node:process";
import { pathToFileURL } from "node:url";

/** The part of the Inspector that its launcher calls. */
interface Cli {
  readonly runCli: (argv: readonly string[]) => Promise<void>;
  readonly handleError: (error: unknown) => Promise<void>;
}

const [, , entry = ""] = process.argv;
const { runCli, handleError } = (await import(pathToFileURL(entry).href)) as Cli;
const write = process.stdout.write.bind(process.stdout);

for await (const line of createInterface(process.stdin))
  write(`${JSON.stringify(await outcomeOf(JSON.parse(line) as readonly string[]))}\n`);

async function outcomeOf(args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const [stdout, stderr] = [collect(process.stdout), collect(process.stderr)];
  let code = 0;
  // A failing run ends its process.
  process.exit = ((given = 0) => {
    code = Number(given);
  }) as typeof process.exit;
  try {
    await runCli([process.execPath, entry, ...args]);
  } catch (error) {
    await handleError(error);
  }
  return { code, stdout: stdout.join(""), stderr: stderr.join("") };
}

/** Collects the texts that are written to a stream. */
function collect(stream: NodeJS.WriteStream): readonly string[] {
  const texts: string[] = [];
  stream.write = (text: unknown, ...others: readonly unknown[]) => {
    texts.push(String(text));
    const done = others.at(-1);
    if (typeof done === "function") (done as () => void)();
    return true;
  };
  return texts;
}

// Runs a command line of another project many times in one process: loading it takes longer than a run. Arguments of a run arrive in a
// message, and its outcome leaves in a message: a run may close every stream of its process.
import process from "node:process";
import { pathToFileURL } from "node:url";

/** The part of a command line that its launcher calls. */
interface Cli {
  readonly runCli: (argv: readonly string[]) => Promise<void>;
  /** Reports an error, and ends the process. */
  readonly handleError?: (error: unknown) => Promise<void>;
}

const [, , entry = "", ...first] = process.argv;
const { runCli, handleError } = (await import(pathToFileURL(entry).href)) as Cli;

process.on("message", (args: readonly string[]) => void outcomeOf(args).then((outcome) => process.send?.(outcome)));

async function outcomeOf(args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const [stdout, stderr] = [collect(process.stdout), collect(process.stderr)];
  process.exitCode = 0;
  // A failing run ends its process.
  process.exit = ((given = process.exitCode) => {
    process.exitCode = given;
  }) as typeof process.exit;
  try {
    await runCli([...first, ...args]);
  } catch (error) {
    if (handleError === undefined) process.exitCode = 1;
    else await handleError(error);
  }
  const code = process.exitCode;
  process.exitCode = 0;
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

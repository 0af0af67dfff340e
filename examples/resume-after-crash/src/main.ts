import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type DemoArguments, FEWEST_STEPS, parseArguments, USAGE } from "./arguments.ts";
import { headOf, lineOf, summaryOf } from "./report.ts";
import { runDemo } from "./run-demo.ts";
import { readSession, type Session } from "./session-player.ts";

const RECORDED = fileURLToPath(new URL("../session.json", import.meta.url));
const BUILT_SERVER = fileURLToPath(new URL("../../../apps/mcp-server/dist/workrail-mcp.mjs", import.meta.url));

process.exitCode = await main(process.argv.slice(2));

/** Resolves to the exit code: 0 everything came back, 1 something did not or the demo could not run, 2 wrong usage. */
async function main(given: readonly string[]): Promise<number> {
  let args: DemoArguments;
  try {
    args = parseArguments(given);
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${USAGE}`);
    return 2;
  }
  if (args.help) {
    console.log(USAGE);
    return 0;
  }
  try {
    return await demonstrate(args);
  } catch (error) {
    console.error(messageOf(error));
    return 1;
  }
}

async function demonstrate({ file = RECORDED, steps, keep, server: program = BUILT_SERVER }: DemoArguments): Promise<number> {
  if (!existsSync(program)) throw new Error(`There is no server at ${program}. Build it first: npm run setup`);
  const session = shortened(await readSession(file), steps);
  const dataDir = await mkdtemp(join(tmpdir(), "workrail-demo-"));
  let isSound = false;
  try {
    console.log(headOf(session));
    const result = await runDemo({ session, program, dataDir }, (event) => console.log(lineOf(event)));
    isSound = result.mismatches.length === 0;
    console.log(summaryOf(result));
  } finally {
    if (isSound && !keep) await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
    else console.log(`The data is kept in ${dataDir}`);
  }
  return isSound ? 0 : 1;
}

function shortened(session: Session, steps: number | undefined): Session {
  if (session.steps.length < FEWEST_STEPS)
    throw new Error(`${session.id} has fewer than ${FEWEST_STEPS} steps: too few to be interrupted.`);
  return { ...session, steps: session.steps.slice(0, steps) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import path from "node:path";
import { bareLoad, BareStore } from "../bare-store.ts";
import { atStep, generateContext } from "../generate-context.ts";
import { openLibrary } from "./open-library.ts";
import { untilTold } from "./until-told.ts";

export interface PartInput {
  readonly directory: string;
  readonly operation: "save" | "load";
  readonly side: "floor" | "library";
  readonly sessionId: string;
  /** Distinguishes this process's contexts from those of the others. */
  readonly seed: number;
  readonly bytes: number;
  readonly count: number;
}

export interface PartResult {
  readonly times: readonly number[];
  /** Milliseconds since 1970, comparable between processes. */
  readonly began: number;
  readonly ended: number;
  readonly cpuMs: number;
}

interface Part {
  readonly once: (step: number) => unknown;
  readonly close: () => void | Promise<void>;
}

/** Runs one of several processes that work on one store at the same time. */
export async function takePart(input: PartInput): Promise<PartResult> {
  const { once, close } = input.side === "floor" ? prepareBare(input) : await prepareLibrary(input);
  await untilTold();
  const cpu = process.cpuUsage();
  const began = performance.timeOrigin + performance.now();
  const times: number[] = [];
  for (let step = 1; step <= input.count; step++) {
    const started = performance.now();
    await once(step);
    times.push(performance.now() - started);
  }
  const ended = performance.timeOrigin + performance.now();
  const { user, system } = process.cpuUsage(cpu);
  await close();
  return { times, began, ended, cpuMs: (user + system) / 1_000 };
}

function prepareBare(input: PartInput): Part {
  const context = generateContext(input.bytes, input.seed);
  const bare = new BareStore(path.join(input.directory, "bare"));
  const close = (): void => bare.close();
  if (input.operation === "save") return { once: (step) => bare.save(atStep(context, step)), close };
  const file = bare.save(context);
  return { once: () => bareLoad(file), close };
}

async function prepareLibrary(input: PartInput): Promise<Part> {
  const { sessionId } = input;
  const context = generateContext(input.bytes, input.seed);
  const library = await openLibrary(path.join(input.directory, "library"));
  const close = (): Promise<void> => library.close();
  if (input.operation === "save") {
    return { once: (step) => library.saveCheckpoint({ sessionId, context: atStep(context, step) }), close };
  }
  await library.saveCheckpoint({ sessionId, context });
  return { once: () => library.loadCheckpoint({ sessionId }), close };
}

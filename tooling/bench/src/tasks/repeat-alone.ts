import fs from "node:fs";
import path from "node:path";
import { bareLoad, BareStore } from "../bare-store.ts";
import { atStep, generateContext } from "../generate-context.ts";
import { openLibrary } from "./open-library.ts";

export interface AloneInput {
  readonly directory: string;
  readonly operation: "save" | "load";
  /** `nothing` only creates the context: the memory of Node and the benchmark themselves. */
  readonly side: "nothing" | "floor" | "library";
  readonly bytes: number;
  readonly count: number;
}

const SESSION = "alone";

/** Repeats one operation, and returns the peak memory. */
export async function repeatAlone(input: AloneInput): Promise<{ readonly peakBytes: number }> {
  const act = { save, load }[input.operation];
  await act(input);
  // maxRSS is in kilobytes on every platform.
  return { peakBytes: process.resourceUsage().maxRSS * 1024 };
}

async function save({ side, directory, bytes, count }: AloneInput): Promise<void> {
  const context = generateContext(bytes, 1);
  if (side === "floor") {
    const bare = new BareStore(path.join(directory, "bare"));
    for (let step = 0; step < count; step++) bare.save(atStep(context, step));
    bare.close();
  }
  if (side === "library") {
    const library = await openLibrary(path.join(directory, "library"));
    for (let step = 0; step < count; step++) await library.saveCheckpoint({ sessionId: SESSION, context: atStep(context, step) });
    await library.close();
  }
}

/** Loads the checkpoints that `save` of the library has stored. */
async function load({ side, directory, count }: AloneInput): Promise<void> {
  const dataDir = path.join(directory, "library");
  if (side === "floor") {
    const session = path.join(dataDir, "contexts", SESSION);
    const name = fs.readdirSync(session).find((each) => each.endsWith(".json.gz"));
    for (let step = 0; step < count; step++) bareLoad(path.join(session, String(name)));
  }
  if (side === "library") {
    const library = await openLibrary(dataDir);
    for (let step = 0; step < count; step++) await library.loadCheckpoint({ sessionId: SESSION });
    await library.close();
  }
}

import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { alternate, type Comparison, type Effort } from "../alternate.ts";
import { bareLoad, BareStore } from "../bare-store.ts";
import { atStep, generateContext } from "../generate-context.ts";
import { untilQuiet } from "../rest.ts";
import { openLibrary } from "./open-library.ts";

export interface LibraryInput {
  readonly dataDir: string;
  readonly bareDir: string;
  readonly sessionId: string;
  /** Size of each context as JSON. */
  readonly bytes: number;
  /** Small checkpoints saved to the session first. */
  readonly fill: number;
  /** Checkpoints that the session keeps, when each save is to remove the oldest. */
  readonly maxCheckpoints?: number;
  readonly effort: Effort;
}

export interface LibraryResult {
  readonly save: Comparison;
  readonly loadLatest: Comparison;
  /** Loads of the checkpoint before the latest, which is also stored whole. */
  readonly loadById: Comparison;
  /** Loads of older checkpoints, which may be stored as deltas. The floor loads the latest. */
  readonly loadOlder: Comparison;
}

/** Time to complete a removal before the next call is measured. */
const REMOVAL_MS = 5;
/** Older checkpoints to choose from, and the two after them. */
const OLDER = 100;

/** Compares saves and loads through the library with doing them bare, in turns. */
export async function compareLibrary(input: LibraryInput): Promise<LibraryResult> {
  const { dataDir, sessionId, effort, maxCheckpoints } = input;
  const library = await openLibrary(dataDir, maxCheckpoints);
  const bare = new BareStore(input.bareDir);
  const small = generateContext(1_000, 2);
  for (let step = 0; step < input.fill; step++) await library.saveCheckpoint({ sessionId, context: atStep(small, step) });

  const context = generateContext(input.bytes, 1);
  const ids: string[] = [];
  const save = await alternate(effort, {
    floor: (step) => bare.save(atStep(context, step)),
    measured: async (step) => ids.push((await library.saveCheckpoint({ sessionId, context: atStep(context, step) })).checkpointId),
    rest: untilQuiet,
    ...(maxCheckpoints === undefined ? {} : { before: () => sleep(REMOVAL_MS) }),
  });

  await untilQuiet();
  const fileOf = async (checkpointId: string | undefined): Promise<string> => {
    const { metadata } = await library.loadCheckpoint({ checkpointId });
    return path.join(dataDir, metadata.blobPath);
  };
  const [beforeLatest, latest] = ids.slice(-2);
  const file = await fileOf(latest);
  const loadLatest = await alternate(effort, { floor: () => bareLoad(file), measured: () => library.loadCheckpoint({ sessionId }) });

  const fileBefore = await fileOf(beforeLatest);
  const checkpointId = beforeLatest;
  const loadById = await alternate(effort, { floor: () => bareLoad(fileBefore), measured: () => library.loadCheckpoint({ checkpointId }) });

  const older = ids.slice(-Math.min(OLDER, maxCheckpoints ?? OLDER), -2);
  // Spread over all of them.
  const chosen = (sample: number): string | undefined => older[(sample * 7_919) % older.length];
  const loadOlder = await alternate(effort, {
    floor: () => bareLoad(file),
    measured: (sample) => library.loadCheckpoint({ checkpointId: chosen(sample) }),
  });
  await library.close();
  bare.close();
  return { save, loadLatest, loadById, loadOlder };
}

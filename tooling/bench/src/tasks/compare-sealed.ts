import { alternate, type Comparison, type Effort } from "../alternate.ts";
import { atStep, generateContext } from "../generate-context.ts";
import { untilQuiet } from "../rest.ts";
import { NO_LIMIT, openLibrary } from "./open-library.ts";

export interface SealedInput {
  readonly clearDir: string;
  readonly sealedDir: string;
  readonly bytes: number;
  readonly effort: Effort;
}

export type SealedResult = Readonly<Record<"save" | "loadLatest" | "loadById", Comparison>>;

const SESSION = "sealed-and-clear";
const SEALED = { WORKRAIL_ENCRYPTION: "enabled", WORKRAIL_ENCRYPTION_KEY: "5".repeat(64) };

/** Compares saves and loads in a sealed store with those in one in clear, in turns. */
export async function compareSealed({ clearDir, sealedDir, bytes, effort }: SealedInput): Promise<SealedResult> {
  const clear = await openLibrary(clearDir);
  const sealed = await openLibrary(sealedDir, NO_LIMIT, SEALED);
  const context = generateContext(bytes, 1);
  const ids = { clear: [] as string[], sealed: [] as string[] };
  const save = await alternate(effort, {
    floor: async (step) =>
      ids.clear.push((await clear.saveCheckpoint({ sessionId: SESSION, context: atStep(context, step) })).checkpointId),
    measured: async (step) =>
      ids.sealed.push((await sealed.saveCheckpoint({ sessionId: SESSION, context: atStep(context, step) })).checkpointId),
    rest: untilQuiet,
  });
  await untilQuiet();
  const loadLatest = await alternate(effort, {
    floor: () => clear.loadCheckpoint({ sessionId: SESSION }),
    measured: () => sealed.loadCheckpoint({ sessionId: SESSION }),
  });
  // The checkpoint before the latest, which is also stored whole.
  const [inClear, inSealed] = [ids.clear.at(-2), ids.sealed.at(-2)];
  const loadById = await alternate(effort, {
    floor: () => clear.loadCheckpoint({ checkpointId: inClear }),
    measured: () => sealed.loadCheckpoint({ checkpointId: inSealed }),
  });
  await clear.close();
  await sealed.close();
  return { save, loadLatest, loadById };
}

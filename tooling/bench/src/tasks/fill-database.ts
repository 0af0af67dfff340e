import { atStep, generateContext } from "../generate-context.ts";
import { filledSession } from "./fill-store.ts";
import { openDatabase } from "./open-library.ts";

export interface FillDatabaseInput {
  /** Database with the tables. Commits need not wait for the disk. */
  readonly url: string;
  readonly dataDir: string;
  /** Number of sessions, named by `filledSession`. */
  readonly sessions: number;
  /** Number in each session. */
  readonly checkpoints: number;
  readonly bytes: number;
  /** Sessions that grow at the same time. */
  readonly atATime: number;
  /** Projects that the sessions belong to in turn. */
  readonly projects: readonly string[];
}

/** Fills a store in a database by saves, and indexes them. */
export async function fillDatabase({ url, dataDir, sessions, checkpoints, bytes, atATime, projects }: FillDatabaseInput): Promise<void> {
  await using store = await openDatabase(url, dataDir);
  const context = generateContext(bytes, 1);
  const fill = async (number: number): Promise<void> => {
    const to = { sessionId: filledSession(number), project: projects[number % projects.length] };
    for (let step = 0; step < checkpoints; step++) await store.saveCheckpoint({ ...to, context: atStep(context, step) });
  };
  for (let first = 0; first < sessions; first += atATime) {
    await Promise.all(Array.from({ length: Math.min(atATime, sessions - first) }, (_, at) => fill(first + at)));
  }
  await store.finishIndex();
}

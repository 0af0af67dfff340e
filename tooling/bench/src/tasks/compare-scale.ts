import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { generateContext, atStep } from "../generate-context.ts";
import { untilQuiet } from "../rest.ts";
import { type Summary, summarize } from "../statistics.ts";
import { filledSession } from "./fill-store.ts";
import { openDatabase, openLibrary } from "./open-library.ts";

/** In the order of the table. */
export const SCALE_OPERATIONS = [
  "open",
  "first load",
  "save",
  "load latest",
  "list of a session",
  "list of a project",
  "list of everything",
  "search in a project",
] as const;
export type ScaleOperation = (typeof SCALE_OPERATIONS)[number];

/** An existing store. */
export interface ScaleStore {
  readonly dataDir: string;
  /** Database with the store. Absent: the store is in files. */
  readonly url?: string;
  /** Number of sessions, named by `filledSession`. */
  readonly sessions: number;
  readonly project: string;
}

export interface ScaleInput {
  readonly stores: readonly ScaleStore[];
  /** Number of times that each store is opened. */
  readonly openings: number;
  /** Number of calls of every other operation in each store. */
  readonly calls: number;
  /** Size of the saved contexts. */
  readonly bytes: number;
}

/** Milliseconds of each operation, for each store. */
export type ScaleTimings = Readonly<Record<ScaleOperation, Summary>>;

type Library = Awaited<ReturnType<typeof openLibrary>>;
type Call = (library: Library, store: ScaleStore, sample: number) => Promise<unknown>;

const PAGE = 20;

/** Runs the same operations in stores of different sizes, in turns, so that other load of the machine affects all equally. */
export async function compareScale({ stores, openings, calls, bytes }: ScaleInput): Promise<readonly ScaleTimings[]> {
  const times = stores.map(() => new Map<ScaleOperation, number[]>(SCALE_OPERATIONS.map((operation) => [operation, []])));
  const timed = async <T>(at: number, operation: ScaleOperation, work: () => Promise<T>): Promise<T> => {
    await yieldToEventLoop();
    const started = performance.now();
    const result = await work();
    times[at]?.get(operation)?.push(performance.now() - started);
    return result;
  };
  for (let sample = -1; sample < openings; sample++) {
    for (const [at, store] of stores.entries()) {
      const library = await timed(at, "open", () => open(store));
      await timed(at, "first load", () => library.loadCheckpoint({ sessionId: sessionOf(store, sample) }));
      await library.close();
    }
    // Drops the first runs: the engine has not compiled their code yet.
    if (sample === -1) for (const each of times) for (const operation of ["open", "first load"] as const) each.set(operation, []);
  }
  const context = generateContext(bytes, 2);
  // Saves come last, so that they do not affect the other operations.
  const operations: readonly (readonly [ScaleOperation, Call])[] = [
    ["load latest", (library, store, sample) => library.loadCheckpoint({ sessionId: sessionOf(store, sample) })],
    ["list of a session", (library, store, sample) => library.findCheckpoints({ sessionId: sessionOf(store, sample), limit: PAGE })],
    ["list of a project", (library, { project }) => library.findCheckpoints({ project, limit: PAGE })],
    ["list of everything", (library) => library.findCheckpoints({ project: null, limit: PAGE })],
    [
      "search in a project",
      (library, { project }, sample) => library.searchCheckpoints({ query: wordOf(context, sample), project, limit: 5 }),
    ],
    ["save", (library, store, sample) => library.saveCheckpoint({ sessionId: sessionOf(store, sample), context: atStep(context, sample) })],
  ];
  const libraries = await Promise.all(stores.map(open));
  for (const [operation, call] of operations) {
    await untilQuiet();
    for (let sample = 0; sample < calls; sample++) {
      for (const [at, store] of stores.entries()) await timed(at, operation, () => call(libraries[at] as Library, store, sample));
    }
  }
  for (const library of libraries) await library.close();
  return times.map((each) => {
    return Object.fromEntries(SCALE_OPERATIONS.map((operation) => [operation, summarize(each.get(operation) ?? [])])) as ScaleTimings;
  });
}

function open({ dataDir, url }: ScaleStore): Promise<Library> {
  return url === undefined ? openLibrary(dataDir) : openDatabase(url, dataDir);
}

/** A word of the context. */
function wordOf(context: object, sample: number): string {
  const words = JSON.stringify(context).match(/[a-z]{5,}/gu) ?? [];
  return words[sample % words.length] ?? "word";
}

/** Spread over the store. */
function sessionOf({ sessions }: ScaleStore, sample: number): string {
  return filledSession(Math.abs(sample * 7_919) % sessions);
}

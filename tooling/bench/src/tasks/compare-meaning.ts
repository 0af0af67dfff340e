import { dotProduct, NearestFirst, parseCheckpointId, parseSessionId, unitVector } from "@workrail/core";
import { openSqliteFs } from "@workrail/sqlite-fs";
import { alternate, type Comparison, type Effort } from "../alternate.ts";
import { Random } from "../random.ts";

export interface MeaningInput {
  readonly dataDir: string;
  readonly vectors: number;
  readonly dimensions: number;
  readonly effort: Effort;
}

export interface MeaningResult extends Comparison {
  /** Share of the ten nearest that was found, over all queries. */
  readonly recall: number;
}

const SESSION = 100;
const NEAREST = 10;

/** Compares finding the nearest vectors in SQLite with comparing the same vectors in memory, in turns. */
export async function compareMeaning({ dataDir, vectors: count, dimensions, effort }: MeaningInput): Promise<MeaningResult> {
  const storage = await openSqliteFs({ dataDir });
  const { vectors } = storage;
  if (vectors === undefined) throw new Error("The store has no place for vectors.");
  const random = new Random(1);
  const some = (): Float32Array => Float32Array.from({ length: dimensions }, () => random.next() - 0.5);
  const space = { name: "bench", dimensions };
  const all = Array.from({ length: count }, (_, index) => ({
    checkpointId: parseCheckpointId(`c${index}`),
    project: undefined,
    vector: unitVector(some()),
  }));
  for (let from = 0; from < count; from += SESSION) {
    await vectors.put(space, parseSessionId(`s${from}`), all.slice(from, from + SESSION));
  }
  const questions = Array.from({ length: effort.most + 100 }, some);
  const inMemory = (vector: Float32Array): readonly string[] => {
    const nearest = new NearestFirst(NEAREST);
    for (const held of all) nearest.add({ checkpointId: held.checkpointId, similarity: dotProduct(vector, held.vector) });
    return nearest.all().map(({ checkpointId }) => checkpointId);
  };
  const inSqlite = async (vector: Float32Array): Promise<readonly string[]> => {
    return (await vectors.nearest(space, { vector, limit: NEAREST })).map(({ checkpointId }) => checkpointId);
  };
  const question = (sample: number): Float32Array => questions[sample] as Float32Array;
  const compared = await alternate(effort, {
    floor: (sample) => inMemory(question(sample)),
    measured: (sample) => inSqlite(question(sample)),
  });
  const asked = questions.slice(0, 20);
  let found = 0;
  for (const vector of asked) {
    const expected = new Set(inMemory(unitVector(vector)));
    found += (await inSqlite(vector)).filter((id) => expected.has(id)).length;
  }
  await storage.close();
  return { ...compared, recall: found / (asked.length * NEAREST) };
}

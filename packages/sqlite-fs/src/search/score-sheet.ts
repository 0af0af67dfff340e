/** Documents and what they score, each at the same place of both. */
export interface Scores {
  readonly documents: readonly number[];
  readonly scores: Float32Array;
}

/** Adds scores up by documents' numbers, on one sheet for all questions: a new one for each is most of the memory that they take. */
export class ScoreSheet {
  #sums = new Float32Array(0);
  #documents: number[] = [];

  /** Adds to the scores of these. What is not on the sheet yet comes in only if it is allowed. */
  add(numbers: readonly number[], more: number, allowed?: ReadonlySet<number>): void {
    this.#reach(numbers.at(-1) ?? 0);
    const sums = this.#sums;
    // A plain loop: it runs over many thousands before the engine has come to know it.
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] as number;
      const sum = sums[number] as number;
      if (sum === 0 && allowed?.has(number) === false) continue;
      if (sum === 0) this.#documents.push(number);
      sums[number] = sum + more;
    }
  }

  /** What was added, and wipes the sheet. */
  take(): Scores {
    const documents = this.#documents;
    const scores = new Float32Array(documents.length);
    for (let at = 0; at < documents.length; at++) {
      const number = documents[at] as number;
      scores[at] = this.#sums[number] as number;
      this.#sums[number] = 0;
    }
    this.#documents = [];
    return { documents, scores };
  }

  #reach(number: number): void {
    if (number < this.#sums.length) return;
    const sums = new Float32Array(Math.ceil(number * 1.25) + 1);
    sums.set(this.#sums);
    this.#sums = sums;
  }
}

/** Documents and what they score, each at the same place of both. */
export interface Scores {
  readonly documents: Int32Array;
  readonly scores: Float32Array;
}

/** Adds scores up by documents' numbers, on one sheet for all questions: new ones would be most of the memory that questions take. */
export class ScoreSheet {
  #sums = new Float32Array(0);
  #documents = new Int32Array(1_024);
  #count = 0;

  /** Adds to the scores of these. What is not on the sheet yet comes in only if it is allowed. */
  add(numbers: readonly number[], more: number, allowed?: ReadonlySet<number>): void {
    this.#reach(numbers.at(-1) ?? 0, this.#count + numbers.length);
    const sums = this.#sums;
    // A plain loop: it runs over many thousands before the engine has come to know it.
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] as number;
      const sum = sums[number] as number;
      if (sum === 0 && allowed?.has(number) === false) continue;
      if (sum === 0) this.#documents[this.#count++] = number;
      sums[number] = sum + more;
    }
  }

  /** What was added, and wipes the sheet. */
  take(): Scores {
    const documents = this.#documents.slice(0, this.#count);
    const scores = new Float32Array(this.#count);
    for (let at = 0; at < documents.length; at++) {
      const number = documents[at] as number;
      scores[at] = this.#sums[number] as number;
      this.#sums[number] = 0;
    }
    this.#count = 0;
    return { documents, scores };
  }

  #reach(last: number, count: number): void {
    if (last >= this.#sums.length) {
      const sums = new Float32Array(Math.ceil(last * 1.25) + 1);
      sums.set(this.#sums);
      this.#sums = sums;
    }
    if (count > this.#documents.length) {
      const documents = new Int32Array(count * 2);
      documents.set(this.#documents);
      this.#documents = documents;
    }
  }
}

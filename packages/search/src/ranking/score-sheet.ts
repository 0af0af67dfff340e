/** Documents and their scores, at the same indexes. */
export interface Scores {
  readonly documents: Int32Array;
  readonly scores: Float32Array;
}

/** Sums scores by document number. All queries share one sheet: a new sheet for each would be most of the memory of a query. */
export class ScoreSheet {
  #sums = new Float32Array(0);
  #documents = new Int32Array(1_024);
  #count = 0;

  /** Adds to the scores of documents. A document that is not on the sheet yet is added only when `allowed` has it. */
  add(numbers: readonly number[], more: number, allowed?: ReadonlySet<number>): void {
    this.#reach(numbers.at(-1) ?? 0, this.#count + numbers.length);
    const sums = this.#sums;
    // A plain loop: it runs over many thousands of numbers before the engine has optimized it.
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] as number;
      const sum = sums[number] as number;
      if (sum === 0 && allowed?.has(number) === false) continue;
      if (sum === 0) this.#documents[this.#count++] = number;
      sums[number] = sum + more;
    }
  }

  /** Returns the sums and clears the sheet. */
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

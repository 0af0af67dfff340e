/**
 * Records each checkpoint that the server acknowledged, with the exact JSON text that was saved, and compares loaded contexts with them.
 */
export class Ledger {
  readonly #acknowledged = new Map<string, { readonly step: number; readonly text: string }>();
  readonly #inFlight: { readonly step: number; readonly text: string }[] = [];
  readonly #mismatches: string[] = [];
  #latest: string | undefined;

  /** Records an acknowledged save. The first text stays: a later save of equal content is answered with the same checkpoint. */
  acknowledge(checkpointId: string, step: number, text: string): void {
    if (!this.#acknowledged.has(checkpointId)) this.#acknowledged.set(checkpointId, { step, text });
    this.#latest = checkpointId;
  }

  /** Records a save that got no answer: the checkpoint may exist or not, but never in part. */
  lose(step: number, text: string): void {
    this.#inFlight.push({ step, text });
  }

  get checkpointIds(): readonly string[] {
    return [...this.#acknowledged.keys()];
  }

  get latest(): { readonly checkpointId: string; readonly step: number } | undefined {
    const found = this.#latest === undefined ? undefined : this.#acknowledged.get(this.#latest);
    return this.#latest === undefined || found === undefined ? undefined : { checkpointId: this.#latest, step: found.step };
  }

  /** Length of all acknowledged texts in UTF-8 bytes. */
  get bytes(): number {
    return [...this.#acknowledged.values()].reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  }

  /** Returns the step that saved this text: the step of the acknowledged checkpoint with that id, else of an unanswered save. */
  stepOf(checkpointId: string, text: string): number | undefined {
    const known = this.#acknowledged.get(checkpointId);
    const candidates = known === undefined ? this.#inFlight : [known];
    return candidates.find((candidate) => candidate.text === text)?.step;
  }

  /** Compares a loaded context with the saved one, and records a difference as a mismatch. */
  compare(checkpointId: string, text: string, when: string): boolean {
    if (this.stepOf(checkpointId, text) !== undefined) return true;
    const known = this.#acknowledged.get(checkpointId);
    this.miss(
      known === undefined
        ? `${when}: checkpoint ${checkpointId} is nothing that was ever saved`
        : `${when}: step ${known.step} (${checkpointId}) came back different, ${firstDifference(known.text, text)}`,
    );
    return false;
  }

  /** Records any other mismatch. */
  miss(what: string): void {
    this.#mismatches.push(what);
  }

  get mismatches(): readonly string[] {
    return this.#mismatches;
  }
}

const SHOWN = 24;

function firstDifference(expected: string, actual: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === actual[at]) at++;
  const part = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - SHOWN), at + SHOWN));
  return `from character ${at}: ${part(expected)} was saved, ${part(actual)} came back`;
}

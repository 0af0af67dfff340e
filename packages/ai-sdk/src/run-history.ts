import type { ModelMessage } from "ai";

/** The part of a `prepareStep` call that is read. */
export interface StepToPrepare {
  readonly stepNumber: number;
  /** Messages that the model would get: shorter than the history, once some were left out. */
  readonly messages: readonly ModelMessage[];
  readonly initialMessages: readonly ModelMessage[];
  readonly responseMessages: readonly ModelMessage[];
  readonly experimental_steeringMessages?: readonly ModelMessage[];
}

/** All messages of a run, whatever the model gets of them. */
export class RunHistory {
  messages: readonly ModelMessage[] = [];
  /** Messages of the answer that are in `messages`. */
  #answered = 0;

  /** Takes in what came before a step. */
  beforeStep({ stepNumber, initialMessages, responseMessages, experimental_steeringMessages: steering = [] }: StepToPrepare): void {
    if (stepNumber === 0) {
      this.messages = initialMessages;
      this.#answered = 0;
    }
    this.afterStep(responseMessages.slice(this.#answered));
    this.messages = [...this.messages, ...steering];
  }

  afterStep(answer: readonly ModelMessage[]): void {
    this.#answered += answer.length;
    this.messages = [...this.messages, ...answer];
  }
}

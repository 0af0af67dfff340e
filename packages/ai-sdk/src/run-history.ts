import type { ModelMessage } from "ai";

/** The fields of a `prepareStep` call that the history reads. */
export interface StepToPrepare {
  readonly stepNumber: number;
  /** Messages for the model: fewer than the history has, once some are left out. */
  readonly messages: readonly ModelMessage[];
  readonly initialMessages: readonly ModelMessage[];
  readonly responseMessages: readonly ModelMessage[];
  readonly experimental_steeringMessages?: readonly ModelMessage[];
}

/** All messages of a run, including those left out of the model's input. */
export class RunHistory {
  messages: readonly ModelMessage[] = [];
  /** Number of response messages that are in `messages`. */
  #answered = 0;

  /** Adds the messages that came before a step. */
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

import type { StoreChanges } from "@workrail/runtime";
import type { DataApi } from "../data/calls.ts";

/** The program in which the page runs: it carries the calls, and may do more. */
export interface Host {
  /** Resolves when calls can be made. Rejects with a message for people. */
  readonly ready: Promise<void>;
  readonly api: DataApi;
  /** Calls back with what changed in the store while its state is live. Returns a function that stops it. Absent: the data never changes. */
  readonly follow?: (onChange: (changes: StoreChanges) => void, onState: (isLive: boolean) => void) => () => void;
  /** The time at which the page was saved with its data, as ISO 8601. Absent: the data comes from a store. */
  readonly savedAt?: string;
  /** Sends a message to the agent in whose host the page runs. */
  readonly sendToAgent?: (text: string) => Promise<void>;
  /** Asks the program around for the whole screen. */
  readonly showWhole?: () => Promise<void>;
}

/** A call that failed, with the message and the advice of the library. */
export class CallError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

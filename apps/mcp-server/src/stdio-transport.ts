import type { Readable, Writable } from "node:stream";
import { toAnswerLine } from "./answer-line.ts";
import { type JsonRpcMessage, RPC_ERROR, type Rejection, type RequestId } from "./json-rpc.ts";
import { LineFramer, type Frame } from "./line-framer.ts";
import type { MessageChannel } from "./message-channel.ts";
import { parseMessage } from "./parse-message.ts";

/** Longest accepted message: enough for a 10 MB context with every byte escaped. */
export const DEFAULT_MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

export interface StdioTransportOptions {
  readonly input?: Readable;
  readonly output?: Writable;
  readonly maxMessageBytes?: number;
}

/**
 * MCP over a pair of byte streams, one JSON-RPC message per line.
 *
 * The connection survives any input: a message that cannot be delivered is answered with a JSON-RPC error, by its id if one can be found.
 */
export class StdioTransport implements MessageChannel {
  onmessage?: ((message: JsonRpcMessage) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  /** Called once, when no more requests can arrive or no answer can be sent. */
  onend?: ((reason: string) => void) | undefined;

  readonly #input: Readable;
  readonly #output: Writable;
  readonly #maxMessageBytes: number;
  readonly #framer: LineFramer;
  /** Delivered requests without an answer. Counted, since a client may repeat an id. */
  readonly #unanswered = new Map<RequestId, number>();
  #pendingWrites = 0;
  #isOutputGone = false;
  #isReading = false;
  readonly #waiting: (() => void)[] = [];

  constructor(options: StdioTransportOptions = {}) {
    this.#input = options.input ?? process.stdin;
    this.#output = options.output ?? process.stdout;
    this.#maxMessageBytes = options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES;
    this.#framer = new LineFramer(this.#maxMessageBytes);
  }

  async start(): Promise<void> {
    this.#isReading = true;
    this.#output.on("error", this.#onOutputError);
    this.#input.on("data", this.#onData);
    this.#input.on("end", this.#onInputEnd);
    this.#input.on("close", this.#onInputEnd);
    this.#input.on("error", this.#onInputError);
  }

  /** Resolves when the message is sent, or when the receiver is gone. Never rejects. */
  async send(message: JsonRpcMessage): Promise<void> {
    await this.#write(message);
    if ("id" in message && message.id !== undefined && !("method" in message)) {
      this.#settle(message.id);
    }
  }

  async close(): Promise<void> {
    this.stopReading();
    this.onclose?.();
  }

  /** Stops reading. Accepted requests keep running and may be answered. */
  stopReading(): void {
    this.#isReading = false;
    this.#input.off("data", this.#onData);
    this.#input.off("end", this.#onInputEnd);
    this.#input.off("close", this.#onInputEnd);
    this.#input.pause();
  }

  /** Resolves when every accepted request is answered and every answer is sent. */
  async whenIdle(): Promise<void> {
    while (this.#pendingWrites > 0 || (this.#unanswered.size > 0 && !this.#isOutputGone)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  readonly #onData = (chunk: Buffer): void => {
    for (const frame of this.#framer.push(chunk)) {
      this.#receive(frame);
    }
  };

  readonly #onInputEnd = (): void => {
    const rest = this.#framer.end();
    if (rest !== undefined) {
      this.#receive(rest);
    }
    this.#end("end of input");
  };

  readonly #onInputError = (error: Error): void => {
    this.onerror?.(error);
    this.#end("input failed");
  };

  readonly #onOutputError = (error: Error): void => {
    this.#isOutputGone = true;
    this.#wake();
    this.onerror?.(error);
    this.#end("output closed");
  };

  #end(reason: string): void {
    this.stopReading();
    const onend = this.onend;
    this.onend = undefined;
    onend?.(reason);
  }

  #receive(frame: Frame): void {
    if (frame.kind === "too-long") {
      const limit = `The message has ${frame.sizeBytes} bytes; this server takes at most ${this.#maxMessageBytes}.`;
      this.#reject({
        id: frame.id,
        code: RPC_ERROR.invalidRequest,
        message: `${limit} Send less at a time.`,
        isAnswerable: true,
      });
      return;
    }
    const read = parseMessage(frame.bytes);
    if (read.kind === "message") {
      this.#deliver(read.message);
    } else if (!isBlank(frame.bytes)) {
      this.#reject(read.rejection);
    }
  }

  #deliver(message: JsonRpcMessage): void {
    if ("method" in message && "id" in message) {
      // A subscription is answered when it ends.
      if (message.method !== "subscriptions/listen") this.#unanswered.set(message.id, (this.#unanswered.get(message.id) ?? 0) + 1);
    } else if ("method" in message && message.method === "notifications/cancelled") {
      // A cancelled request gets no answer, so it no longer counts as unanswered.
      const cancelled = message.params?.["requestId"];
      this.#settle(cancelled as RequestId);
    }
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #reject(rejection: Rejection): void {
    this.onerror?.(new Error(rejection.message));
    if (!rejection.isAnswerable) {
      return;
    }
    // The id of a running request must not be answered here.
    const isFree = rejection.id !== undefined && !this.#unanswered.has(rejection.id);
    const { code, message } = rejection;
    void this.#write({ jsonrpc: "2.0", id: isFree ? rejection.id : null, error: { code, message } });
  }

  #settle(id: RequestId): void {
    const count = this.#unanswered.get(id);
    if (count === undefined) {
      return;
    }
    if (count > 1) {
      this.#unanswered.set(id, count - 1);
    } else {
      this.#unanswered.delete(id);
    }
    this.#wake();
  }

  #write(message: object): Promise<void> {
    if (this.#isOutputGone) {
      return Promise.resolve();
    }
    this.#pendingWrites += 1;
    return new Promise((resolve) => {
      this.#output.write(toLine(message), () => {
        this.#pendingWrites -= 1;
        if (this.#isReading && !this.#isTooMuchUnread()) {
          this.#input.resume();
        }
        this.#wake();
        resolve();
      });
      // Backpressure: a client that sends without reading must not make the server buffer unlimited answers.
      if (this.#isTooMuchUnread()) {
        this.#input.pause();
      }
    });
  }

  #isTooMuchUnread(): boolean {
    return this.#output.writableLength > this.#maxMessageBytes;
  }

  /** Lets those who wait look again whether the connection is idle. */
  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

function toLine(message: object): string | Buffer {
  try {
    return toAnswerLine(message) ?? `${JSON.stringify(message)}\n`;
  } catch (error) {
    const id = (message as { id?: RequestId }).id ?? null;
    const text = `The answer cannot be written as JSON (${error instanceof Error ? error.name : "error"}).`;
    return `${JSON.stringify({ jsonrpc: "2.0", id, error: { code: RPC_ERROR.internal, message: text } })}\n`;
  }
}

/** True for a line of white space only; a carriage return before the line feed is common. */
function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

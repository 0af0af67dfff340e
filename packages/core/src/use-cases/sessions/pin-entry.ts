import { WorkrailError } from "../../errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { encodeUtf8 } from "../../json/utf8.ts";
import type { Clock } from "../../ports/environment.ts";
import { loadCheckpoint, type LoadPorts, sessionNotFound } from "../load/load-checkpoint.ts";
import { findSession } from "../../catalog/queries/query-sessions.ts";
import { commit } from "../../catalog/rules/commit.ts";

export interface PinPorts extends LoadPorts {
  readonly clock: Clock;
}

export interface PinInput {
  readonly sessionId: SessionId;
  /** Top-level key of the session's latest context. */
  readonly key: string;
  /** `false` removes a pin. Default `true`. */
  readonly critical?: boolean | undefined;
  readonly agentId?: string | undefined;
}

export type PinResult = {
  readonly status: "pinned" | "released" | "key-not-found";
  /** All pins of the session, after the change. */
  readonly pins: readonly string[];
};

/** Bounds the pins of a session: loads, lists and searches return them. */
const MAX_PINS = 200;
const MAX_KEY_LENGTH = 1_000;
/** Bytes of all pins as JSON. A token has at least one byte, so pins never take more tokens than this. */
const MAX_PINS_BYTES = 4_096;

/**
 * Makes an entry CRITICAL in the session's latest and all later checkpoints, or undoes this.
 *
 * @throws SESSION_NOT_FOUND; INVALID_INPUT for a key too long or too many pins; the errors of loading the head.
 */
export async function pinEntry(ports: PinPorts, input: PinInput): Promise<PinResult> {
  if (typeof input.key !== "string") {
    throw new WorkrailError("INVALID_INPUT", "contextKey must be a key of the context.", { details: { field: "contextKey" } });
  }
  const session = await findSession(ports.catalog, input.sessionId);
  if (session === undefined) throw sessionNotFound(input.sessionId);
  const isPinned = session.pins.includes(input.key);
  if (input.critical === false) {
    if (!isPinned) return { status: "key-not-found", pins: session.pins };
    return change(ports, input, "unpin");
  }
  if (isPinned) return { status: "pinned", pins: session.pins };
  const { context } = await loadCheckpoint(ports, { sessionId: input.sessionId });
  if (!Object.hasOwn(context, input.key)) return { status: "key-not-found", pins: session.pins };
  if (exceedPinLimits([...session.pins, input.key])) throw tooMany(session.pins.length);
  return change(ports, input, "pin");
}

async function change(ports: PinPorts, input: PinInput, action: "pin" | "unpin"): Promise<PinResult> {
  const { sessionId, key, agentId } = input;
  await ports.locking.inOrder(sessionId, () =>
    ports.catalog.change(
      commit({
        pins: { sessionId, pin: action === "pin" ? [key] : [], release: action === "pin" ? [] : [key] },
        audit: [{ at: ports.clock.now(), action, sessionId, checkpointId: undefined, agentId }],
      }),
    ),
  );
  const session = await findSession(ports.catalog, sessionId);
  return { status: action === "pin" ? "pinned" : "released", pins: session?.pins ?? [] };
}

/** True when the pins exceed a limit of a session. */
export function exceedPinLimits(pins: readonly string[]): boolean {
  if (pins.length > MAX_PINS || pins.some((key) => key.length > MAX_KEY_LENGTH)) return true;
  return encodeUtf8(JSON.stringify(pins)).length > MAX_PINS_BYTES;
}

function tooMany(pins: number): WorkrailError {
  return new WorkrailError(
    "INVALID_INPUT",
    `A session has at most ${MAX_PINS} pins; a key has at most ${MAX_KEY_LENGTH} characters, and all keys together have at most ${MAX_PINS_BYTES} bytes.`,
    {
      details: { field: "contextKey", pins, maxPins: MAX_PINS },
      hint: "Unpin entries with critical: false, or pin one entry that contains the others.",
    },
  );
}

import { messageTurns } from "./message-turns.ts";
import type { Conversation } from "./read-conversation.ts";
import { spokenTurns } from "./spoken-turns.ts";
import type { Turn } from "./turn.ts";

/** Splits a conversation into turns. */
export function readTurns({ given }: Conversation): readonly Turn[] {
  return typeof given === "string" ? spokenTurns(given.replaceAll(/\r\n?/gu, "\n")) : messageTurns(given);
}

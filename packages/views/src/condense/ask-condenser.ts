import { type Condenser, type CountTokens, type FindSecrets, type JsonValue, redact } from "@workrail/core";
import { termsOf } from "./anchors.ts";
import { condenseValue } from "./condense-value.ts";
import { reduceValue } from "./reduce-value.ts";
import { STRATEGIES } from "./strategies.ts";
import { isWithin, measure, type Room } from "../view/room.ts";

/** External condenser, such as a language model, with the size of its input. */
export interface AdvancedMode {
  readonly condenser: Condenser;
  /** Longer texts are first condensed to this many tokens by rules. */
  readonly inputTokens: number;
  /** Finds the parts to remove from a text before it is sent. */
  readonly findSecrets: FindSecrets;
}

/** Value to condense. */
export interface CondenseRequest {
  readonly value: JsonValue;
  /** Result of condensing without the condenser. */
  readonly basic: JsonValue;
  /** Room for the answer as JSON. */
  readonly room: Room;
  readonly focus?: string | undefined;
}

/** Text to put in the value's place, or the reason why there is none, without any word of the value. */
export type CondenserAnswer = { readonly text: string } | { readonly why: string };

/** Share of the room to ask for. The rest is for names that the answer lacks. */
const ASKED_SHARE = 2 / 3;
/** Largest share of the basic result's names that the answer may lack; missing names are appended. */
const MOST_MISSING = 0.5;

/**
 * Asks the condenser for a shorter text. No secret is sent. The answer is accepted only when it fits, contains no name or number
 * that the original lacks, and has the names of the basic result, or gets the missing ones appended. Never rejects.
 */
export async function askCondenser(
  { condenser, inputTokens, findSecrets }: AdvancedMode,
  count: CountTokens,
  request: CondenseRequest,
): Promise<CondenserAnswer> {
  const { value, room, focus } = request;
  try {
    const sent = textToSend({ value, inputTokens, focus, count, findSecrets });
    if (sent === undefined) return { why: "There is nothing in it that could be sent." };
    const asked = Math.max(1, Math.floor(room.tokens * ASKED_SHARE));
    const answer = await condenser.condense(sent, asked, focus === undefined ? undefined : redact(focus, findSecrets).text);
    return judge({ answer: answer.trim(), sent }, request, count);
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

interface ToSend extends Pick<AdvancedMode, "inputTokens" | "findSecrets">, Pick<CondenseRequest, "value" | "focus"> {
  readonly count: CountTokens;
}

/** Redacts secrets first, while the surrounding text still identifies them. */
function textToSend({ value, inputTokens, focus, count, findSecrets }: ToSend): string | undefined {
  const redacted = withoutSecrets(value, findSecrets);
  if (redacted === undefined) return undefined;
  const reduced = reduceValue(redacted);
  const whole = textOf(reduced);
  // Redacts again: unpacking may reveal text that was hidden in nested quotes.
  if (count(whole) <= inputTokens) return redact(whole, findSecrets).text;
  const room = { tokens: inputTokens, characters: inputTokens * LONGEST_TOKEN };
  const strategies = STRATEGIES.filter((name) => name !== "telegraph");
  const shorter = condenseValue(reduced, room, { count, focus, strategies });
  return shorter && redact(textOf(shorter.value), findSecrets).text;
}

/** `undefined` when the redacted text is no JSON, because a rule took a short number for a secret. */
function withoutSecrets(value: JsonValue, find: FindSecrets): JsonValue | undefined {
  try {
    return JSON.parse(redact(JSON.stringify(value, longNumbersAsTexts), find).text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Turns long numbers, such as card numbers, into texts, because a placeholder cannot replace a number. */
function longNumbersAsTexts(_: string, value: unknown): unknown {
  return typeof value === "number" && String(value).length >= LONG_NUMBER ? String(value) : value;
}

/** Digits of a number. Shorter numbers identify no person. */
const LONG_NUMBER = 9;

/** Characters per token, at most. */
const LONGEST_TOKEN = 8;

/** Returns the value as readable text with real line breaks. */
function textOf(value: JsonValue): string {
  return typeof value === "string"
    ? value
    : JSON.stringify(value)
        .replaceAll(String.raw`\n`, "\n")
        .replaceAll(String.raw`\"`, '"');
}

/** Drops file names that are part of another name's path. */
function wholeOf(names: readonly string[]): readonly string[] {
  return names.filter((name) => !names.some((other) => other.endsWith(`/${name}`)));
}

function judge(
  { answer, sent }: { readonly answer: string; readonly sent: string },
  { basic, room }: CondenseRequest,
  count: CountTokens,
): CondenserAnswer {
  if (answer === "") return { why: "Its answer is empty." };
  // oxlint-disable-next-line no-control-regex -- these distinguish binary data from text
  if (/[\u0000-\u0008\u000E-\u001F\uFFFD]/u.test(answer)) return { why: "Its answer is not a text." };
  const size = measure(JSON.stringify(answer), count);
  if (!isWithin(size, room)) return { why: `Its answer takes ${size.tokens} tokens where ${room.tokens} fit.` };
  const original = sent.toLowerCase();
  const invented = wholeOf(anchorsOf(answer).filter((name) => !isIn(original, name))).length;
  if (invented > 0) return { why: `Its answer has ${invented} names or numbers that the original does not have.` };
  const said = answer.toLowerCase();
  const wanted = anchorsOf(textOf(basic)).filter((name) => original.includes(name.toLowerCase()));
  const missing = wholeOf(wanted.filter((name) => !said.includes(name.toLowerCase())));
  if (missing.length === 0) return { text: answer };
  const completed = `${answer}\nAlso: ${missing.join(", ")}`;
  if (missing.length <= wanted.length * MOST_MISSING && isWithin(measure(JSON.stringify(completed), count), room))
    return { text: completed };
  return { why: `Its answer lacks ${missing.length} of ${wanted.length} names and numbers that are kept without it.` };
}

function anchorsOf(text: string): string[] {
  return termsOf(text).flatMap(({ key, isAnchor }) => (isAnchor ? [key] : []));
}

/** True when the original contains the name, or all of its parts: `read/write` and `file:line` invent nothing. */
function isIn(original: string, name: string): boolean {
  const lower = name.toLowerCase();
  return original.includes(lower) || lower.split(/[/\\:.]/u).every((part) => part.length < 3 || original.includes(part));
}

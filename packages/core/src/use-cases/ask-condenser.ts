import { termsOf } from "../condense/anchors.ts";
import { condenseValue } from "../condense/condense-value.ts";
import { reduceValue } from "../condense/reduce-value.ts";
import { STRATEGIES } from "../condense/strategies.ts";
import type { JsonValue } from "../model/context.ts";
import type { Condenser } from "../ports/condenser.ts";
import type { CountTokens } from "../ports/environment.ts";
import { type FindSecrets, redact } from "../secrets/redact.ts";
import { isWithin, measure, type Room } from "../view/room.ts";

/** A condenser beside ours, such as a language model, and how much it is given to read. */
export interface AdvancedMode {
  readonly condenser: Condenser;
  /** Longer texts are condensed to so many tokens first, without it. */
  readonly inputTokens: number;
  /** Finds what is taken out of a text before it is sent. Default: secrets, and no personal data. */
  readonly findSecrets?: FindSecrets | undefined;
}

/** A value that is to be condensed. */
export interface CondenseRequest {
  readonly value: JsonValue;
  /** What it is shortened to without the condenser. */
  readonly basic: JsonValue;
  /** What the answer may take as JSON. */
  readonly room: Room;
  readonly focus?: string | undefined;
}

/** A text to put in the value's place; or why there is none, without a word of the value. */
export type CondenserAnswer = { readonly text: string } | { readonly why: string };

/** Of the room: the rest is for names that it leaves out. */
const ASKED_SHARE = 2 / 3;
/** Of the names that are kept without it, the most that may be missing in its answer, to be put behind it. */
const MOST_MISSING = 0.5;

/**
 * Asks for a shorter text, which no secret leaves for, and which nothing is taken from unchecked: it fits, names nothing that
 * is not in the original, and has the names that are kept without it, or gets them added. Never rejects.
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
    return judge(answer.trim(), sent, request, count);
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

interface ToSend extends Pick<AdvancedMode, "inputTokens" | "findSecrets">, Pick<CondenseRequest, "value" | "focus"> {
  readonly count: CountTokens;
}

/** Secrets go first, while what tells them is still beside them. */
function textToSend({ value, inputTokens, focus, count, findSecrets }: ToSend): string | undefined {
  const redacted = withoutSecrets(value, findSecrets);
  if (redacted === undefined) return undefined;
  const reduced = reduceValue(redacted);
  const whole = textOf(reduced);
  // Unpacking may bring out what was hidden by quotes within quotes.
  if (count(whole) <= inputTokens) return redact(whole, findSecrets).text;
  const room = { tokens: inputTokens, characters: inputTokens * LONGEST_TOKEN };
  const strategies = STRATEGIES.filter((name) => name !== "telegraph");
  const shorter = condenseValue(reduced, room, { count, focus, strategies });
  return shorter && redact(textOf(shorter.value), findSecrets).text;
}

/** `undefined` where what is left is no JSON, because a rule took a short number for a secret. */
function withoutSecrets(value: JsonValue, find: FindSecrets | undefined): JsonValue | undefined {
  try {
    return JSON.parse(redact(JSON.stringify(value, longNumbersAsTexts), find).text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** In the place of a number, such as that of a card, there can be no placeholder. */
function longNumbersAsTexts(_: string, value: unknown): unknown {
  return typeof value === "number" && String(value).length >= LONG_NUMBER ? String(value) : value;
}

/** Digits: shorter ones are nobody's. */
const LONG_NUMBER = 9;

/** Characters. */
const LONGEST_TOKEN = 8;

/** For reading: lines are lines. */
function textOf(value: JsonValue): string {
  return typeof value === "string"
    ? value
    : JSON.stringify(value)
        .replaceAll(String.raw`\n`, "\n")
        .replaceAll(String.raw`\"`, '"');
}

/** Without names of files whose path is among them. */
function wholeOf(names: readonly string[]): readonly string[] {
  return names.filter((name) => !names.some((other) => other.endsWith(`/${name}`)));
}

function judge(answer: string, sent: string, { basic, room }: CondenseRequest, count: CountTokens): CondenserAnswer {
  if (answer === "") return { why: "Its answer is empty." };
  // oxlint-disable-next-line no-control-regex -- these are what tells bytes from text
  if (/[\u0000-\u0008\u000E-\u001F\uFFFD]/u.test(answer)) return { why: "Its answer is no text." };
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

/** As it stands, or in parts: whoever writes `read/write` or `file:line` invents nothing. */
function isIn(original: string, name: string): boolean {
  const lower = name.toLowerCase();
  return original.includes(lower) || lower.split(/[/\\:.]/u).every((part) => part.length < 3 || original.includes(part));
}

import { WorkrailError } from "../../errors.ts";
import { parseJson } from "../../json/parse-json.ts";
import { evenParts } from "../../json/utf8.ts";
import type { CheckpointFacts } from "../../model/checkpoint.ts";
import type { FindSecrets, FoundSecret, SecretScanner, SecretScreen } from "../../ports/secret-scanner.ts";
import { type JsonPlace, JsonPlaces, writtenPath } from "../../secrets/json-places.ts";
import { takingTurns } from "../../turns.ts";

/** Place of a possible secret. Never holds the secret. */
export interface PlacedSecret {
  /** Id of the rule. */
  readonly rule: string;
  /** Path such as `context["servers"][2]["url"]`, `name`, `tags[0]` or `metadata["ticket"]`. */
  readonly path: string;
}

/** Result of the search for secrets in data to be saved. */
export interface SecretsReport {
  readonly action: "warned" | "redacted";
  /** Number of secrets. */
  readonly count: number;
  /** The first of them. */
  readonly found: readonly PlacedSecret[];
}

/** Data to screen. */
export interface ScreenInput {
  /** Returns the JSON text of a context in parts of any size, the same on every call. */
  readonly context: () => Iterable<string>;
  /** JSON text of an object with the labels. */
  readonly labels: string;
}

export interface Screened {
  /** Absent when nothing was found. */
  readonly report?: SecretsReport;
  /** Data to write instead of the given data; absent when the given data is to be written unchanged. */
  readonly redacted?: { readonly context: string; readonly labels: string };
}

/** Searches for secrets as `screenSecrets` does. */
export type ScreenSecrets = (given: ScreenInput) => Promise<Screened>;

/** Returns the search for secrets of a policy; `undefined` without one. */
export function screenSecretsBy(screen: SecretScreen | undefined): ScreenSecrets | undefined {
  return screen && ((given) => screenSecrets(screen, given));
}

/** Returns a checkpoint's labels as screened; callers know the attributes as `metadata`. */
export function labelsText({ name, tags, attributes: metadata, agentId, workflowId }: GivenLabels): string {
  return JSON.stringify({ name, tags, metadata, agentId, workflowId });
}

type Labels = Pick<CheckpointFacts, "name" | "tags" | "attributes" | "agentId" | "workflowId">;
type GivenLabels = { readonly [Name in keyof Labels]?: Labels[Name] | undefined };

/** Parses the labels back. Labels that were not given are absent. */
export function labelsOf(text: string): Partial<Labels> {
  const { metadata, ...labels } = parseJson(text) as unknown as Partial<Labels> & { readonly metadata?: CheckpointFacts["attributes"] };
  return metadata === undefined ? labels : { ...labels, attributes: metadata };
}

/** Most secrets in an answer, which must stay small. */
const MOST_NAMED = 5;

/**
 * Searches for secrets in data about to be written, before anything is written.
 *
 * @throws SECRET_FOUND, naming rules and places, in mode `block`.
 */
export async function screenSecrets(screen: SecretScreen | undefined, given: ScreenInput): Promise<Screened> {
  if (screen === undefined) return {};
  const context = await findPlaced(screen.scanner, given.context, "context");
  const labels = await findPlaced(screen.scanner, () => [given.labels]);
  const all = [...labels, ...context];
  if (all.length === 0) return {};
  const secrets = all.filter(begins);
  const [count, found] = [secrets.length, secrets.slice(0, MOST_NAMED).map((secret) => named(secret, screen.findSecrets))];
  if (screen.mode === "block") throw secretFound(count, found);
  if (screen.mode === "warn") return { report: { action: "warned", count, found } };
  return {
    report: { action: "redacted", count, found },
    redacted: {
      context: await redacted(screen, [...given.context()].join(""), context),
      labels: await redacted(screen, given.labels, labels),
    },
  };
}

export interface Placed extends FoundSecret {
  readonly place: JsonPlace;
  /** Beginning of its path; absent when the path begins with the first key. */
  readonly root: string | undefined;
}

/** True at the beginning of a secret. A secret that spans several strings is reported where it begins. */
export function begins({ continues }: FoundSecret): boolean {
  return continues !== true;
}

/** Formats a place for a report. Writing a path takes longer than finding it, so only reported places are formatted. */
export function named({ rule, place, root }: Placed, find: FindSecrets): PlacedSecret {
  return { rule, path: writtenPath(place, find, root) };
}

/**
 * Finds the secrets in a JSON text and their places. Yields to other work between parts.
 *
 * @param root beginning of the paths.
 */
export async function findPlaced(scanner: SecretScanner, texts: () => Iterable<string>, root?: string): Promise<Placed[]> {
  const found: FoundSecret[] = [];
  const turn = takingTurns();
  for await (const some of scanner.find(evenParts(texts()))) {
    for (const each of some) found.push(each);
    await turn();
  }
  return found.length === 0 ? [] : place(texts, found, root);
}

async function place(texts: () => Iterable<string>, found: readonly FoundSecret[], root: string | undefined): Promise<Placed[]> {
  const places = new JsonPlaces();
  const placed: Placed[] = [];
  const turn = takingTurns();
  let passed = 0;
  for (const part of evenParts(texts())) {
    await turn();
    passed += part.length;
    const first = placed.length;
    const last = found.findIndex(({ start }, index) => index >= first && start >= passed);
    const here = found.slice(first, last === -1 ? undefined : last);
    const at = places.next(
      part,
      here.map(({ start }) => start),
    );
    for (const [index, secret] of here.entries()) placed.push({ ...secret, place: at[index] as JsonPlace, root });
    if (placed.length === found.length) break;
  }
  return placed;
}

/** Replaces each secret in a text by its placeholder. */
async function redacted(screen: SecretScreen, text: string, found: readonly Placed[]): Promise<string> {
  const pieces: string[] = [];
  let end = 0;
  for (const secret of found) {
    const placeholder = await screen.placeholder(secret.kind, text.slice(secret.start, secret.end));
    const isLiteral = secret.place.within === "literal";
    const { start, end: next } = isLiteral ? literalAround(text, secret) : secret;
    // Two secrets in one number.
    if (start < end) continue;
    pieces.push(text.slice(end, start), isLiteral ? JSON.stringify(placeholder) : placeholder);
    end = next;
  }
  return [...pieces, text.slice(end)].join("");
}

/** Extends the range to a whole number, which is replaced by a text. */
function literalAround(text: string, { start, end }: FoundSecret): Pick<FoundSecret, "start" | "end"> {
  const isLiteral = (index: number): boolean => /[\w.+-]/.test(text.charAt(index));
  let [from, to] = [start, end];
  while (isLiteral(from - 1)) from -= 1;
  while (isLiteral(to)) to += 1;
  return { start: from, end: to };
}

/** Lists places in words: `github-token at context["env"]["TOKEN"], jwt at name and 3 more`. */
export function placesInWords({ count, found }: Pick<SecretsReport, "count" | "found">): string {
  const places = found.map(({ rule, path }) => `${rule} at ${path}`).join(", ");
  return count > found.length ? `${places} and ${count - found.length} more` : places;
}

function secretFound(count: number, found: readonly PlacedSecret[]): WorkrailError {
  return new WorkrailError(
    "SECRET_FOUND",
    `Nothing was saved, because it contains a possible secret: ${placesInWords({ count, found })}.`,
    {
      details: { count, found },
      hint: "Save the place of the secret instead, such as the name of its variable. Name rules that are wrong in WORKRAIL_SECRETS_EXCEPT.",
    },
  );
}

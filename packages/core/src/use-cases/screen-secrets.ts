import { WorkrailError } from "../errors.ts";
import { parseJson } from "../json/parse-json.ts";
import { evenParts } from "../json/text-parts.ts";
import type { CheckpointFacts } from "../model/checkpoint.ts";
import type { FoundSecret, SecretScanner } from "../ports/secret-scanner.ts";
import type { SecretScreen } from "../ports/secret-screen.ts";
import { type JsonPlace, JsonPlaces } from "../secrets/json-places.ts";
import { writtenPath } from "../secrets/written-path.ts";
import { takingTurns } from "../turns.ts";

/** A place that what looks like a secret was found in. Never holds the secret. */
export interface PlacedSecret {
  /** The id of the rule. */
  readonly rule: string;
  /** Such as `context["servers"][2]["url"]`, `name`, `tags[0]` or `metadata["ticket"]`. */
  readonly path: string;
}

/** What was found in what was to be saved, and what became of it. */
export interface SecretsReport {
  readonly action: "warned" | "redacted";
  /** How many there are. */
  readonly count: number;
  /** The first of them. */
  readonly found: readonly PlacedSecret[];
}

/** What is screened. */
export interface ScreenInput {
  /** The JSON text of a context, in parts of any size; the same each time. */
  readonly context: () => Iterable<string>;
  /** JSON text of an object with what describes it. */
  readonly labels: string;
}

export interface Screened {
  /** Absent when nothing was found. */
  readonly report?: SecretsReport;
  /** What to write in the place of what was given. Absent where that is to be written as it is. */
  readonly redacted?: { readonly context: string; readonly labels: string };
}

/** What describes a checkpoint, as it is screened; `metadata` is what callers call its attributes. */
export function labelsText({ name, tags, attributes: metadata, agentId, workflowId }: GivenLabels): string {
  return JSON.stringify({ name, tags, metadata, agentId, workflowId });
}

type Labels = Pick<CheckpointFacts, "name" | "tags" | "attributes" | "agentId" | "workflowId">;
type GivenLabels = { readonly [Name in keyof Labels]?: Labels[Name] | undefined };

/** The same from such a text. What was not given is not there. */
export function labelsOf(text: string): Partial<Labels> {
  const { metadata, ...labels } = parseJson(text) as unknown as Partial<Labels> & { readonly metadata?: CheckpointFacts["attributes"] };
  return metadata === undefined ? labels : { ...labels, attributes: metadata };
}

/** An answer must stay small, however many there are. */
const MOST_NAMED = 5;

/**
 * Looks for secrets in what is about to be written, before anything of it is.
 *
 * @throws SECRET_FOUND, naming rules and places, where the screen blocks.
 */
export async function screenSecrets(screen: SecretScreen | undefined, given: ScreenInput): Promise<Screened> {
  if (screen === undefined) return {};
  const context = await findPlaced(screen.scanner, given.context, "context");
  const labels = await findPlaced(screen.scanner, () => [given.labels]);
  const all = [...labels, ...context];
  if (all.length === 0) return {};
  const secrets = all.filter(begins);
  const [count, found] = [secrets.length, secrets.slice(0, MOST_NAMED).map(named)];
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
  /** What its path begins with; absent where the first key is a name. */
  readonly root: string | undefined;
}

/** Whether a secret begins there. One that goes through several strings is told of where it begins. */
export function begins({ continues }: FoundSecret): boolean {
  return continues !== true;
}

/** As it is told. Writing a path takes longer than finding it, and few of very many are told. */
export function named({ rule, place, root }: Placed): PlacedSecret {
  return { rule, path: writtenPath(place, root) };
}

/**
 * The secrets in a JSON text, and where they are. Others have their turn between its parts.
 *
 * @param root what paths begin with.
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

/** The text with what stands for each secret in its place. */
async function redacted(screen: SecretScreen, text: string, found: readonly Placed[]): Promise<string> {
  const pieces: string[] = [];
  let end = 0;
  for (const secret of found) {
    const placeholder = await screen.placeholder(secret.kind, text.slice(secret.start, secret.end));
    const isLiteral = secret.place.within === "literal";
    const { start, end: next } = isLiteral ? literalAround(text, secret) : secret;
    // Two in one number.
    if (start < end) continue;
    pieces.push(text.slice(end, start), isLiteral ? JSON.stringify(placeholder) : placeholder);
    end = next;
  }
  return [...pieces, text.slice(end)].join("");
}

/** A number is replaced as a whole, by a text. */
function literalAround(text: string, { start, end }: FoundSecret): Pick<FoundSecret, "start" | "end"> {
  const isLiteral = (index: number): boolean => /[\w.+-]/.test(text.charAt(index));
  let [from, to] = [start, end];
  while (isLiteral(from - 1)) from -= 1;
  while (isLiteral(to)) to += 1;
  return { start: from, end: to };
}

/** In words: `github-token at context["env"]["TOKEN"], jwt at name and 3 more`. */
export function placesInWords({ count, found }: Pick<SecretsReport, "count" | "found">): string {
  const places = found.map(({ rule, path }) => `${rule} at ${path}`).join(", ");
  return count > found.length ? `${places} and ${count - found.length} more` : places;
}

function secretFound(count: number, found: readonly PlacedSecret[]): WorkrailError {
  return new WorkrailError(
    "SECRET_FOUND",
    `Nothing was saved, because it holds what looks like a secret: ${placesInWords({ count, found })}.`,
    {
      details: { count, found },
      hint: "Save where the secret is kept, such as the name of its variable, in its place. Of rules that are wrong about it WORKRAIL_SECRETS_EXCEPT makes exceptions.",
    },
  );
}

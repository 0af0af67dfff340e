import type { JSX } from "preact";
import type { ContextEntry } from "../data/context.ts";
import type { EnoughTokens, Resumed, ShortenedEntry } from "../data/resume.ts";
import { number, plural } from "./format.ts";
import { layerReason } from "./layer-reason.ts";
import { LAYER_NAMES, LayerTag } from "./layers.tsx";
import { CopyButton } from "./parts.tsx";
import { PinButton } from "./context-tab.tsx";
import { marked, SafeText } from "./safe-text.tsx";

export interface MissingEntriesProps {
  readonly id: string;
  readonly found: Resumed;
  /** `undefined`: as much as an answer holds. */
  readonly budget: number | undefined;
  /** Words that the answer prefers. */
  readonly focus: string;
  /** Session in which an entry can be pinned; `undefined`: these are not the entries of its latest state. */
  readonly pinIn: string | undefined;
  readonly entries: readonly ContextEntry[];
  /** Larger budgets that complete an entry; `undefined` while they are not known. */
  readonly enough?: readonly EnoughTokens[] | undefined;
  /** Larger budgets are tried now. */
  readonly isTrying: boolean;
  /** Absent: the budget is fixed here. */
  readonly onBudget?: ((tokens: number) => void) | undefined;
  readonly onFocus?: ((words: string) => void) | undefined;
}

/** An entry and how much of it is in the answer. */
interface EntryOutcome extends ContextEntry {
  /** Tokens in the answer. */
  readonly shown: number;
  /** `undefined` when it is as it was saved. */
  readonly change?: ShortenedEntry | "left out" | undefined;
}

/** The entries of the state: left out, shortened, rewritten, and whole. A document does not say which entries it is made of. */
export function MissingEntries(props: MissingEntriesProps): JSX.Element {
  const { found, entries } = props;
  const { whole, shortened = [] } = found;
  if (whole === undefined)
    return (
      <p class="faint">
        The summary is a short text with a few lines of each kind, and lists what it leaves out at its end. For an entry that you need,
        raise the budget or take the JSON form, which says for each entry what is missing and why.
      </p>
    );
  const fates = entries.map((entry) => fateOf(entry, new Set(whole), shortened));
  const inOrder = fates.toSorted((one, other) => rankOf(one) - rankOf(other) || other.tokens - one.tokens);
  const left = inOrder.filter(({ change }) => change === "left out");
  const cut = inOrder.filter(({ change }) => isPart(change));
  const rewritten = inOrder.filter(({ change }) => typeof change === "object" && !isPart(change));
  const there = inOrder.filter(({ change }) => change === undefined);
  return (
    <div class="missing">
      {left.length + cut.length === 0 ? null : <Spent {...props} fates={fates} />}
      <EntryList title={`${plural(left.length, "entry", "entries")} left out`} ones={left} all={fates} about={props} />
      <EntryList title={`${plural(cut.length, "entry", "entries")} shortened`} ones={cut} all={fates} about={props} />
      {rewritten.length === 0 ? null : (
        <section>
          <h3>{plural(rewritten.length, "entry", "entries")} complete, but written shorter</h3>
          <ul class="missed">
            {rewritten.map((fate) => (
              <li key={fate.key}>
                <Name fate={fate}>{howWritten(fate)}</Name>
              </li>
            ))}
          </ul>
        </section>
      )}
      {there.length === 0 ? null : (
        <details class="table-behind">
          <summary>
            {there.length === entries.length
              ? `All ${plural(there.length, "entry is", "entries are")} whole`
              : `${plural(there.length, "entry is", "entries are")} whole`}
          </summary>
          <ul class="missed">
            {there.map((fate) => (
              <li key={fate.key}>
                <Name fate={fate}>{plural(fate.tokens, "token")}</Name>
                <p class="faint">
                  <SafeText text={layerReason(fate)} />
                </p>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function fateOf(entry: ContextEntry, whole: ReadonlySet<string>, shortened: readonly ShortenedEntry[]): EntryOutcome {
  const change = shortened.find(({ key }) => key === entry.key);
  if (change !== undefined) return { ...entry, shown: change.tokens, change };
  return whole.has(entry.key) ? { ...entry, shown: entry.tokens } : { ...entry, shown: 0, change: "left out" };
}

function isPart(change: EntryOutcome["change"]): boolean {
  return typeof change === "object" && change.completeAs === undefined;
}

function rankOf({ layer }: ContextEntry): number {
  return LAYER_NAMES.indexOf(layer);
}

function howWritten({ change, shown, tokens }: EntryOutcome): string {
  const form = typeof change === "object" && change.completeAs === "table" ? "as a table" : "as text";
  return `written ${form}, complete: ${number(shown)} instead of ${plural(tokens, "token")}`;
}

/** Lists the tokens that each layer took of the answer, and says which entries get room first. */
function Spent({ found: { tokens }, budget, fates }: MissingEntriesProps & { readonly fates: readonly EntryOutcome[] }): JSX.Element {
  const parts = LAYER_NAMES.flatMap((layer) => {
    const spent = shownOf(fates, (fate) => fate.layer === layer);
    return spent === 0 ? [] : [`${layer} ${number(spent)}`];
  });
  const rest = Math.max(0, tokens - shownOf(fates, () => true));
  return (
    <p class="faint">
      {budget === undefined ? "The answer is full. " : ""}Tokens were used for{" "}
      {[...parts, `keys, ids and hints ${number(rest)}`].join(", ")}. CRITICAL entries come first. Of the others, the lines, rows and
      sentences come first that matter most for going on: what the focus asks for, goals, rules, open work, decisions and failures, then
      what no other line says.
    </p>
  );
}

function shownOf(fates: readonly EntryOutcome[], isMeant: (fate: EntryOutcome) => boolean): number {
  return fates.reduce((sum, fate) => (isMeant(fate) ? sum + fate.shown : sum), 0);
}

interface EntryListProps {
  readonly title: string;
  readonly ones: readonly EntryOutcome[];
  readonly all: readonly EntryOutcome[];
  readonly about: MissingEntriesProps;
}

/** Entries that are not all there: the missing part of each, the reason, and the call that returns it. */
function EntryList({ title, ones, all, about }: EntryListProps): JSX.Element | null {
  if (ones.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul class="missed">
        {ones.map((fate) => (
          <li key={fate.key}>
            <Name fate={fate}>{fate.change === "left out" ? `left out: all ${plural(fate.tokens, "token")}` : keptOf(fate)}</Name>
            <p>
              {whyCut(fate, about)} It is <SafeText text={layerReason(fate)} />
              {cameBefore(fate, all)}
            </p>
            <MissingParts fate={fate} />
            <HowToGet fate={fate} {...about} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Name({ fate, children }: { readonly fate: EntryOutcome; readonly children: string }): JSX.Element {
  return (
    <p class="missed-name">
      <strong>
        <SafeText text={fate.key} />
      </strong>{" "}
      <LayerTag layer={fate.layer} /> <span>{children}</span>
    </p>
  );
}

/** Most tokens that an answer keeps free for fields that come later, such as the time until which its originals stay. */
const KEPT_FREE = 150;

/** Says how much of an entry is there, in parts where these can be counted. */
function keptOf({ change, shown, tokens }: EntryOutcome): string {
  const parts = typeof change === "object" ? change.parts : undefined;
  if (parts === undefined) return `in part: ${number(shown)} of ${plural(tokens, "token")}`;
  return `${number(parts.kept)} of ${plural(parts.of, parts.unit)} kept, in ${number(shown)} of ${plural(tokens, "token")}`;
}

/** The parts of an entry that the answer lacks. */
function MissingParts({ fate: { change } }: { readonly fate: EntryOutcome }): JSX.Element | null {
  const parts = typeof change === "object" ? change.parts : undefined;
  if (parts === undefined) return null;
  const { unit, kept, of, missing } = parts;
  const more = of - kept - missing.length;
  return (
    <details class="table-behind">
      <summary>What is missing: {plural(of - kept, unit)}</summary>
      <pre class="text boxed" dir="auto" tabIndex={0}>
        {marked(missing.join("\n"))}
        {more === 0 ? "" : `\n… and ${number(more)} more`}
      </pre>
    </details>
  );
}

/** Says why an entry is not whole under this budget. */
function whyCut({ tokens, shown }: EntryOutcome, { budget, found }: MissingEntriesProps): string {
  if (budget === undefined) return "It is too long for one answer.";
  const free = budget - found.tokens;
  const alone = tokens > budget ? ` Alone it has more tokens than the budget of ${number(budget)}.` : "";
  const spare = free > 0 ? `; ${plural(free, "token")} are reserved for dates and notes that an answer may add` : "";
  if (free <= KEPT_FREE) return `The budget of ${number(budget)} is used up${spare}.${alone}`;
  if (free >= tokens - shown) return "Other entries took the space.";
  return `${number(free)} of ${number(budget)} tokens are free, too few for ${shown === 0 ? "it" : "more of it"}.${alone}`;
}

/** Names the layers filled before an entry, and the tokens of other entries in its layer. */
function cameBefore({ key, layer }: EntryOutcome, all: readonly EntryOutcome[]): string {
  const higher = LAYER_NAMES.slice(0, LAYER_NAMES.indexOf(layer)).filter((each) => shownOf(all, (fate) => fate.layer === each) > 0);
  const before = shownOf(all, (fate) => higher.includes(fate.layer));
  const beside = shownOf(all, (fate) => fate.layer === layer && fate.key !== key);
  const said = [
    ...(before === 0 ? [] : [`${higher.join(", ")} came first and took ${plural(before, "token")}`]),
    ...(beside === 0 ? [] : [`other ${layer} entries took ${number(beside)}`]),
  ];
  return said.length === 0 ? "." : `: ${said.join(", ")}.`;
}

function HowToGet({ fate, ...about }: MissingEntriesProps & { readonly fate: EntryOutcome }): JSX.Element {
  const { key, tokens } = fate;
  const { id, budget, focus, pinIn, enough, isTrying, onBudget, onFocus } = about;
  const larger = enough?.find((each) => each.key === key)?.budgetTokens;
  const call = `workflow_checkpoint_load ${JSON.stringify({ checkpointId: id, keys: [key] })}`;
  // A pin or a focus only helps an entry that the budget can hold.
  const held = budget ?? 0;
  const under = focus === "" ? "" : " with this focus";
  return (
    <p class="to-get">
      <span>To get it:</span>
      {pinIn === undefined || tokens > held ? null : <PinButton entry={fate} sessionId={pinIn} canPin onPin={() => {}} />}
      {onFocus === undefined || tokens > held || focus === key ? null : (
        <button type="button" onClick={() => onFocus(key)}>
          Focus on it
        </button>
      )}
      <CopyButton text={call} label="Copy the call for the agent" />
      {larger === undefined || onBudget === undefined ? null : (
        <button type="button" onClick={() => onBudget(larger)}>
          Raise the budget to {number(larger)}
        </button>
      )}
      {isTrying ? <span class="faint">trying larger budgets…</span> : null}
      {enough === undefined || larger !== undefined ? null : <span>No larger budget here holds it all{under}.</span>}
    </p>
  );
}

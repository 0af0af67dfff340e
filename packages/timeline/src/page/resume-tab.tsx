import type { ComponentChildren, JSX } from "preact";
import type { ContextEntry, ContextList } from "../data/context.ts";
import type { Resumed, ShortenedEntry } from "../data/resume.ts";
import { BudgetControls, FocusNote, type Wish } from "./budget-controls.tsx";
import { number, plural } from "./format.ts";
import { layerReason } from "./layer-reason.ts";
import { LAYER_NAMES } from "./layers.tsx";
import { Await, CopyButton } from "./parts.tsx";
import { marked, SafeText } from "./safe-text.tsx";
import { useKept } from "./use-kept.ts";
import { useData, usePage, useSettled } from "./use-data.ts";

const DEPTHS = [
  ["summary", "readable summary"],
  ["view", "JSON within the budget"],
  ["full", "JSON, as much as possible"],
] as const;
type Depth = (typeof DEPTHS)[number][0];

const LEAST = 100;
const MOST = 10_000;
const AFTER_MOVING_MS = 150;

/** The very text that an agent gets when it resumes from here, and the entries that were left out, with the reasons. */
export function ResumeTab({ id }: { readonly id: string }): JSX.Element {
  const { api, host } = usePage();
  const isSaved = host.savedAt !== undefined;
  const [depth, setDepth] = useKept<Depth>("resume depth", "view");
  const [wish, setWish] = useKept<Wish>("resume wish", { budgetTokens: 4_000, focus: "" });
  const settled = useSettled(wish, AFTER_MOVING_MS);
  const { focus } = settled;
  // As much as possible has no budget but the limit of an answer.
  const budgetTokens = depth === "full" ? undefined : settled.budgetTokens;
  const resumed = useData(`resume ${id} ${depth} ${budgetTokens} ${focus}`, () =>
    api.resume({ checkpointId: id, depth, budgetTokens, focus }),
  );
  const isAsked = focus.trim() !== "" && resumed.data !== undefined;
  const without = useData(
    `resume ${id} ${depth} ${budgetTokens} `,
    isAsked ? () => api.resume({ checkpointId: id, depth, budgetTokens, focus: "" }) : undefined,
  );
  const isSame = isAsked && without.data?.text === resumed.data?.text;
  const context = useData(`context ${id}`, () => api.context({ checkpointId: id }));
  return (
    <>
      {isSaved ? null : (
        <>
          <fieldset class="choice">
            <legend>Form:</legend>
            {DEPTHS.map(([value, name]) => (
              <label key={value}>
                <input type="radio" name="depth" checked={depth === value} onChange={() => setDepth(value)} /> {name}
              </label>
            ))}
          </fieldset>
          {depth === "full" ? null : <BudgetControls wish={wish} least={LEAST} most={MOST} onChange={setWish} />}
        </>
      )}
      <FocusNote isSame={isSame} />
      <Await loaded={resumed}>{(found) => <Answer found={found} budget={budgetTokens} context={context.data} />}</Await>
    </>
  );
}

interface AnswerProps {
  readonly found: Resumed;
  readonly budget: number | undefined;
  readonly context: ContextList | undefined;
}

function Answer({ found, budget, context }: AnswerProps): JSX.Element {
  const { text, tokens, drift, warning } = found;
  return (
    <>
      <p class="summary" aria-live="polite">
        {number(tokens)}
        {budget === undefined ? "" : ` of ${number(budget)}`} tokens
        {context === undefined ? "" : `; the whole state has ${number(context.tokens)}`}.
        {budget !== undefined && tokens > budget ? " Even the least answer is over the budget." : ""}
      </p>
      {budget === undefined ? null : (
        <span class="meter big" role="img" aria-label={`${Math.round((100 * tokens) / budget)}% of the budget is used`}>
          <span class={tokens > budget ? "over" : ""} style={{ width: `${Math.min(100, (100 * tokens) / budget)}%` }} />
        </span>
      )}
      {warning === undefined ? null : <p class="note">{warning}</p>}
      {drift === undefined ? null : <p class="note">Since the save: {marked(drift.says)}</p>}
      {context === undefined ? null : <Entries found={found} budget={budget} entries={context.entries} />}
      <section>
        <h3 class="with-button">
          The text <CopyButton text={text} label="Copy the text" />
        </h3>
        <pre class="text boxed" dir="auto" tabIndex={0}>
          {marked(text)}
        </pre>
      </section>
    </>
  );
}

interface EntriesProps {
  readonly found: Resumed;
  readonly budget: number | undefined;
  readonly entries: readonly ContextEntry[];
}

/** The entries of the state: left out, shortened, and whole. A document does not say which entries it is made of. */
function Entries({ found: { whole, shortened = [], tokens }, budget, entries }: EntriesProps): JSX.Element {
  if (whole === undefined) return <p class="faint">The document names what it leaves out at its end.</p>;
  const kept = new Map(shortened.map((each) => [each.key, each]));
  const inAnswer = new Set(whole);
  const sorted = entries.toSorted((one, other) => rankOf(one) - rankOf(other) || other.tokens - one.tokens);
  const there = sorted.filter(({ key }) => inAnswer.has(key) && !kept.has(key));
  const short = sorted.filter(({ key }) => kept.has(key));
  const left = sorted.filter(({ key }) => !inAnswer.has(key) && !kept.has(key));
  const free = (budget ?? 0) - tokens;
  const cut = budget === undefined ? undefined : (entry: ContextEntry): string => whyCut(entry.tokens, budget, free);
  // The answer may end with room for the rest of an entry that was shortened before others came.
  const cutShort =
    cut && ((entry: ContextEntry): string => (entry.tokens > free ? cut(entry) : "Shortened to leave room for other entries"));
  const room = budget === undefined ? "An answer holds no more." : "The budget has no room for more.";
  return (
    <div class="missing">
      {left.length === 0 ? null : (
        <EntryTable title={`${plural(left.length, "entry", "entries")} left out`} entries={left} cut={cut}>
          {room} CRITICAL goes before IMPORTANT, USEFUL and EPHEMERAL; within a layer goes first what matters most to the work and to the
          focus.
        </EntryTable>
      )}
      {short.length === 0 ? null : (
        <EntryTable title={`${plural(short.length, "entry", "entries")} shortened`} entries={short} kept={kept} cut={cutShort}>
          Each is there in part, or written shorter, such as a list as a table.
        </EntryTable>
      )}
      {there.length === 0 ? null : (
        <details class="table-behind">
          <summary>
            {there.length === entries.length
              ? `All ${plural(there.length, "entry is", "entries are")} whole`
              : `${plural(there.length, "entry is", "entries are")} whole`}
          </summary>
          <EntryTable entries={there} />
        </details>
      )}
    </div>
  );
}

/** Why an entry of so many tokens is not whole. @param free tokens of the budget that the answer leaves. */
function whyCut(needed: number, budget: number, free: number): string {
  if (needed > budget) return `${plural(needed, "token")}, more than the budget of ${number(budget)}`;
  if (free <= 0) return `No room left: the whole budget is used, this needs ${number(needed)}`;
  const left = `${plural(free, "token")} of the budget ${free === 1 ? "is" : "are"} free`;
  return `No room left: ${left}, this needs ${number(needed)}${needed > free ? "" : " and its frame"}`;
}

function rankOf({ layer }: ContextEntry): number {
  return LAYER_NAMES.indexOf(layer);
}

function keptOf(entry: ShortenedEntry | undefined): string {
  return entry === undefined ? "" : `${number(entry.shown)} of ${number(entry.characters)} characters`;
}

interface EntryTableProps {
  readonly title?: string;
  readonly entries: readonly ContextEntry[];
  /** How much there is of shortened entries, by key. */
  readonly kept?: ReadonlyMap<string, ShortenedEntry>;
  /** The reason for which an entry is not whole. */
  readonly cut?: ((entry: ContextEntry) => string) | undefined;
  /** The rule for all of them. */
  readonly children?: ComponentChildren;
}

function EntryTable({ title, entries, kept, cut, children }: EntryTableProps): JSX.Element {
  return (
    <section>
      {title === undefined ? null : <h3>{title}</h3>}
      {children === undefined ? null : <p class="faint">{children}</p>}
      <table class="missed">
        <thead>
          <tr>
            <th scope="col">Entry</th>
            <th scope="col">Tokens</th>
            {kept === undefined ? null : <th scope="col">Kept</th>}
            <th scope="col" class="words">
              {cut === undefined ? "Layer" : "Why"}
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.key}>
              <th scope="row">
                <SafeText text={entry.key} />
              </th>
              <td>{number(entry.tokens)}</td>
              {kept === undefined ? null : <td>{keptOf(kept.get(entry.key))}</td>}
              <td class="words">
                {cut === undefined ? null : <div>{cut(entry)}</div>}
                <span class="faint">
                  <SafeText text={layerReason(entry)} />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

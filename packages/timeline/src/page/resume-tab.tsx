import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ContextEntry, ContextList } from "../data/context.ts";
import type { Resumed } from "../data/resume.ts";
import { BudgetControls, type Wish } from "./budget-controls.tsx";
import { number, plural } from "./format.ts";
import { LayerTag } from "./layers.tsx";
import { Await, CopyButton } from "./parts.tsx";
import { marked, SafeText } from "./safe-text.tsx";
import { useData, usePage, useSettled } from "./use-data.ts";

const DEPTHS = [
  ["summary", "Document"],
  ["view", "State that fits"],
  ["full", "As much as an answer holds"],
] as const;
type Depth = (typeof DEPTHS)[number][0];

const LEAST = 100;
const MOST = 10_000;
const AFTER_MOVING_MS = 150;

/** The very text that an agent gets when it resumes from here, and the entries that were left out, with the reasons. */
export function ResumeTab({ id }: { readonly id: string }): JSX.Element {
  const { api, host } = usePage();
  const isSaved = host.savedAt !== undefined;
  const [depth, setDepth] = useState<Depth>("view");
  const [wish, setWish] = useState<Wish>({ budgetTokens: 4_000, focus: "" });
  const settled = useSettled(wish, AFTER_MOVING_MS);
  const { budgetTokens, focus } = settled;
  const resumed = useData(`resume ${id} ${depth} ${budgetTokens} ${focus}`, () =>
    api.resume({ checkpointId: id, depth, budgetTokens, focus }),
  );
  const context = useData(`context ${id}`, () => api.context({ checkpointId: id }));
  return (
    <>
      {isSaved ? null : (
        <>
          <fieldset class="choice">
            <legend>Depth</legend>
            {DEPTHS.map(([value, name]) => (
              <label key={value}>
                <input type="radio" name="depth" checked={depth === value} onChange={() => setDepth(value)} /> {name}
              </label>
            ))}
          </fieldset>
          {depth === "full" ? null : <BudgetControls wish={wish} least={LEAST} most={MOST} onChange={setWish} />}
        </>
      )}
      <Await loaded={resumed}>
        {(found) => <Answer found={found} budget={depth === "full" ? undefined : budgetTokens} context={context.data} />}
      </Await>
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
        {budget !== undefined && tokens > budget
          ? " It is over the budget: CRITICAL entries and the facts around them are never left out."
          : ""}
      </p>
      {budget === undefined ? null : (
        <span class="meter big" role="img" aria-label={`${Math.round((100 * tokens) / budget)}% of the budget is used`}>
          <span class={tokens > budget ? "over" : ""} style={{ width: `${Math.min(100, (100 * tokens) / budget)}%` }} />
        </span>
      )}
      {warning === undefined ? null : <p class="note">{warning}</p>}
      {drift === undefined ? null : <p class="note">Since the save: {marked(drift.says)}</p>}
      {context === undefined ? null : <Missing found={found} entries={context.entries} />}
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

/** Entries that are not whole, with the reasons. A document does not say which entries it is made of. */
function Missing({
  found: { whole, shortened = [] },
  entries,
}: {
  readonly found: Resumed;
  readonly entries: readonly ContextEntry[];
}): JSX.Element | null {
  if (whole === undefined) return <p class="faint">The document names what it leaves out at its end.</p>;
  const there = new Set([...whole, ...shortened]);
  const left = entries.filter(({ key }) => !there.has(key));
  const short = entries.filter(({ key }) => shortened.includes(key));
  if (left.length + short.length === 0) return <p class="faint">All {plural(entries.length, "entry is", "entries are")} whole.</p>;
  return (
    <div class="missing">
      {left.length === 0 ? null : (
        <Missed title={`${plural(left.length, "entry", "entries")} left out`} entries={left}>
          To stay within the budget. CRITICAL goes before IMPORTANT, USEFUL and EPHEMERAL; within a layer goes first what matters most to
          the work and to the focus.
        </Missed>
      )}
      {short.length === 0 ? null : (
        <Missed title={`${plural(short.length, "entry", "entries")} shortened`} entries={short}>
          Only a part of each fits.
        </Missed>
      )}
    </div>
  );
}

interface MissedProps {
  readonly title: string;
  readonly entries: readonly ContextEntry[];
  /** The reason, which all of them share. */
  readonly children: string;
}

function Missed({ title, entries, children }: MissedProps): JSX.Element {
  return (
    <section>
      <h3>{title}</h3>
      <p class="faint">{children}</p>
      <table class="missed">
        <thead>
          <tr>
            <th scope="col">Entry</th>
            <th scope="col">Tokens</th>
            <th scope="col" class="words">
              Layer
            </th>
            <th scope="col" class="words">
              Because of
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
              <td class="words">
                <LayerTag layer={entry.layer} />
              </td>
              <td class="words faint">
                <SafeText text={entry.isPinned ? "a pin" : (entry.why ?? "")} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

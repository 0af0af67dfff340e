import type { ComponentChildren, JSX } from "preact";
import type { ContextList } from "../data/context.ts";
import type { Resumed } from "../data/resume.ts";
import { BudgetControls, FocusNote, type Wish } from "./budget-controls.tsx";
import { number } from "./format.ts";
import { MissingEntries } from "./missing-entries.tsx";
import { Await, CopyButton } from "./parts.tsx";
import { marked } from "./safe-text.tsx";
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
  const isCut = depth === "view" && resumed.data !== undefined && isMissing(resumed.data, context.data);
  const enough = useData(
    `enough ${id} ${budgetTokens} ${focus}`,
    isCut && budgetTokens !== undefined && !isSaved ? () => api.enough({ checkpointId: id, budgetTokens, focus }) : undefined,
  );
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
      <Await loaded={resumed}>
        {(found) => (
          <Answer found={found} budget={budgetTokens} context={context.data}>
            {context.data === undefined ? null : (
              <MissingEntries
                id={id}
                found={found}
                budget={budgetTokens}
                entries={context.data.entries}
                enough={enough.data}
                onBudget={isSaved ? undefined : (tokens) => setWish({ ...wish, budgetTokens: tokens })}
                onFocus={isSaved || depth === "full" ? undefined : (words) => setWish({ ...wish, focus: words })}
              />
            )}
          </Answer>
        )}
      </Await>
    </>
  );
}

/** True when an entry is not all there. */
function isMissing({ whole = [], shortened = [] }: Resumed, context: ContextList | undefined): boolean {
  const isThere = whole.length + shortened.length === context?.entries.length;
  return context !== undefined && !(isThere && shortened.every(({ completeAs }) => completeAs !== undefined));
}

interface AnswerProps {
  readonly found: Resumed;
  readonly budget: number | undefined;
  readonly context: ContextList | undefined;
  /** The entries that are not whole. */
  readonly children: ComponentChildren;
}

function Answer({ found, budget, context, children }: AnswerProps): JSX.Element {
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
      {children}
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

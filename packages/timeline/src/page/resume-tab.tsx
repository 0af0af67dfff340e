import type { ComponentChildren, JSX } from "preact";
import type { ContextList } from "../data/context.ts";
import { DEFAULT_DEPTH, DEFAULT_TOKENS } from "../data/resume-defaults.ts";
import type { Resumed } from "../data/resume.ts";
import { BudgetControls, FocusNote, type Wish } from "./budget-controls.tsx";
import { number } from "./format.ts";
import { MissingEntries } from "./missing-entries.tsx";
import { Await, CopyButton } from "./parts.tsx";
import { marked } from "./safe-text.tsx";
import { useKept } from "./use-kept.ts";
import { useData, usePage, useSettled } from "./use-data.ts";

const DEPTHS = [
  ["view", "JSON (default)"],
  ["summary", "Summary"],
  ["full", "All that fits"],
] as const;
type Depth = (typeof DEPTHS)[number][0];

/** A request with its form's default budget until the user changes it. */
type KeptWish = Omit<Wish, "budgetTokens"> & { readonly budgetTokens?: number | undefined };
const BY_DEFAULT: KeptWish = { focus: "" };

const LEAST = 100;
const MOST = 10_000;
const AFTER_MOVING_MS = 150;
const AFTER_READING_MS = 500;

export interface ResumeTabProps {
  readonly id: string;
  readonly sessionId: string;
  /** Only entries of the latest checkpoint can be pinned. */
  readonly isLatest: boolean;
}

/** The very text that an agent gets when it resumes from here, and the entries that were left out, with the reasons. */
export function ResumeTab({ id, sessionId, isLatest }: ResumeTabProps): JSX.Element {
  const { api, host, versionOf } = usePage();
  const { any } = versionOf(sessionId);
  const isSaved = host.savedAt !== undefined;
  const [depth, setDepth] = useKept<Depth>("resume depth", DEFAULT_DEPTH);
  const [wish, setWish] = useKept<KeptWish>("resume wish", BY_DEFAULT);
  const settled = useSettled(wish, AFTER_MOVING_MS);
  const { focus } = settled;
  // As much as possible has no budget but the limit of an answer.
  const budgetTokens = depth === "full" ? undefined : (settled.budgetTokens ?? DEFAULT_TOKENS[depth]);
  const resumed = useData(
    `resume ${id} ${depth} ${budgetTokens} ${focus}`,
    () => api.resume({ checkpointId: id, depth, budgetTokens, focus }),
    any,
  );
  const isAsked = focus.trim() !== "" && resumed.data !== undefined;
  const without = useData(
    `resume ${id} ${depth} ${budgetTokens} `,
    isAsked ? () => api.resume({ checkpointId: id, depth, budgetTokens, focus: "" }) : undefined,
  );
  const isSame = isAsked && without.data?.text === resumed.data?.text;
  const context = useData(`context ${id}`, () => api.context({ checkpointId: id }), any);
  const isCut = depth === "view" && resumed.data !== undefined && isMissing(resumed.data, context.data);
  // Several budgets are tried: only once the user pauses.
  const isRead = useSettled(settled, AFTER_READING_MS) === settled;
  const enough = useData(
    `enough ${id} ${budgetTokens} ${focus}`,
    isCut && isRead && budgetTokens !== undefined && !isSaved ? () => api.enough({ checkpointId: id, budgetTokens, focus }) : undefined,
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
          {depth === "full" ? null : <Budget depth={depth} wish={wish} onChange={setWish} />}
        </>
      )}
      <WhoGetsIt
        id={id}
        depth={depth}
        budget={budgetTokens}
        focus={focus}
        onDefault={() => {
          setDepth(DEFAULT_DEPTH);
          setWish(BY_DEFAULT);
        }}
      />
      <FocusNote isSame={isSame} />
      <Await loaded={resumed}>
        {(found) => (
          <Answer found={found} budget={budgetTokens} context={context.data}>
            {context.data === undefined ? null : (
              <MissingEntries
                id={id}
                found={found}
                budget={budgetTokens}
                focus={focus.trim()}
                pinIn={isLatest ? sessionId : undefined}
                entries={context.data.entries}
                enough={enough.data}
                isTrying={enough.isLoading}
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

interface BudgetProps {
  readonly depth: keyof typeof DEFAULT_TOKENS;
  readonly wish: KeptWish;
  readonly onChange: (wish: KeptWish) => void;
}

function Budget({ depth, wish, onChange }: BudgetProps): JSX.Element {
  const shown = { ...wish, budgetTokens: wish.budgetTokens ?? DEFAULT_TOKENS[depth] };
  const change = ({ budgetTokens, focus }: Wish): void =>
    onChange({ focus, budgetTokens: budgetTokens === shown.budgetTokens ? wish.budgetTokens : budgetTokens });
  return <BudgetControls wish={shown} least={LEAST} most={MOST} onChange={change} />;
}

interface WhoGetsItProps {
  readonly id: string;
  readonly depth: Depth;
  readonly budget: number | undefined;
  readonly focus: string;
  readonly onDefault: () => void;
}

/** Shows the call for this form and budget, and the default answer. */
function WhoGetsIt({ id, depth, budget, focus, onDefault }: WhoGetsItProps): JSX.Element {
  const isOwnBudget = budget !== undefined && depth !== "full" && budget !== DEFAULT_TOKENS[depth];
  const asked = {
    ...(depth === DEFAULT_DEPTH ? {} : { depth }),
    ...(isOwnBudget ? { budgetTokens: budget } : {}),
    ...(focus.trim() === "" ? {} : { focus }),
  };
  const tokens = number(DEFAULT_TOKENS[DEFAULT_DEPTH]);
  const words = Object.entries(asked).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const isTerminal = depth === "summary" && !isOwnBudget;
  return (
    <div class="who">
      {words.length === 0 ? (
        <p>
          <strong>By default an agent gets this:</strong> <code>workflow_resume</code> answers with JSON of at most {tokens} tokens.
        </p>
      ) : (
        <p>
          An agent gets this if it calls <code>workflow_resume</code> with <code>{marked(words.join(", "))}</code>
          {isTerminal ? (
            <>
              , and a person by <code>workrail resume</code> in a terminal
            </>
          ) : null}
          . By default it gets JSON of at most {tokens} tokens.{" "}
          <CopyButton text={`workflow_resume ${JSON.stringify({ checkpointId: id, ...asked })}`} label="Copy this call" />{" "}
          <button type="button" onClick={onDefault}>
            Show the default
          </button>
        </p>
      )}
      <p class="faint">Hooks give a shorter text of their own: at most 300 tokens when a session starts, 1,500 after a compaction.</p>
    </div>
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
        {budget !== undefined && tokens > budget ? " Even the smallest answer exceeds the budget." : ""}
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
        {text.startsWith("{") ? (
          <p class="faint">Indented here. The agent gets one line, with the date until which the full entries can be loaded.</p>
        ) : null}
        <pre class="text boxed" dir="auto" tabIndex={0}>
          {marked(text)}
        </pre>
      </section>
    </>
  );
}

import type { JSX } from "preact";
import { BudgetControls, FocusNote, type Wish } from "./budget-controls.tsx";
import { number } from "./format.ts";
import { Markdown } from "./markdown.tsx";
import { Await, CopyButton } from "./parts.tsx";
import { marked } from "./safe-text.tsx";
import { useKept } from "./use-kept.ts";
import { useData, usePage, useSettled } from "./use-data.ts";

const LEAST = 300;
const MOST = 10_000;
const AFTER_MOVING_MS = 150;

/** The document with which another agent or a person can take over. */
export function HandoffTab({ id }: { readonly id: string }): JSX.Element {
  const { api, host } = usePage();
  const [wish, setWish] = useKept<Wish>("handoff wish", { budgetTokens: 2_000, focus: "" });
  const [isText, setText] = useKept("handoff as text", false);
  const { budgetTokens, focus } = useSettled(wish, AFTER_MOVING_MS);
  const loaded = useData(`handoff ${id} ${budgetTokens} ${focus}`, () => api.handoff({ checkpointId: id, budgetTokens, focus }));
  const isAsked = focus.trim() !== "" && loaded.data !== undefined;
  const without = useData(`handoff ${id} ${budgetTokens} `, isAsked ? () => api.handoff({ checkpointId: id, budgetTokens }) : undefined);
  return (
    <>
      {host.savedAt === undefined ? <BudgetControls wish={wish} least={LEAST} most={MOST} onChange={setWish} /> : null}
      <FocusNote isSame={isAsked && without.data?.markdown === loaded.data?.markdown} />
      <Await loaded={loaded}>
        {({ markdown, tokens, shortened, leftOut }) => (
          <>
            <p class="summary" aria-live="polite">
              {number(tokens)} tokens; entries shortened: {shortened}, left out: {leftOut}.
            </p>
            <div class="actions">
              <CopyButton text={markdown} label="Copy the document" />
              <button type="button" aria-pressed={isText} onClick={() => setText(!isText)}>
                As text
              </button>
            </div>
            {isText ? (
              <pre class="text boxed" dir="auto" tabIndex={0}>
                {marked(markdown)}
              </pre>
            ) : (
              <div class="boxed">
                <Markdown text={markdown} />
              </div>
            )}
          </>
        )}
      </Await>
    </>
  );
}

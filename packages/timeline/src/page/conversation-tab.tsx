import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ConversationPart } from "../data/conversation.ts";
import { number } from "./format.ts";
import { Markdown } from "./markdown.tsx";
import { Ago, Await, Empty } from "./parts.tsx";
import type { SearchTarget } from "./route.ts";
import { SafeText, withWords } from "./safe-text.tsx";
import { showSought } from "./show-search-target.ts";
import { useData, usePage } from "./use-data.ts";

/** Parts in an answer. */
const PAGE = 200;

export interface ConversationTabProps {
  readonly id: string;
  readonly sought: SearchTarget | undefined;
}

/** The conversation stored with a checkpoint or its session. */
export function ConversationTab({ id, sought }: ConversationTabProps): JSX.Element {
  const { api } = usePage();
  const { at = 0 } = sought ?? {};
  const [offset, setOffset] = useState(at - (at % PAGE));
  useEffect(() => setOffset(at - (at % PAGE)), [sought]);
  const loaded = useData(`conversation ${id} ${offset}`, () => api.conversation({ checkpointId: id, offset }));
  return (
    <Await loaded={loaded}>
      {({ said, total }) =>
        total === 0 ? (
          <Empty title="No conversation is stored here.">
            <p>
              Hooks store it when a session of an agent ends; <code>store_session</code> stores one on demand.
            </p>
          </Empty>
        ) : (
          <>
            {total > said.length ? (
              <p class="pager">
                <button type="button" disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - PAGE))}>
                  Earlier
                </button>
                <span aria-live="polite">
                  {number(offset + 1)} to {number(offset + said.length)} of {number(total)}
                </span>
                <button type="button" disabled={offset + said.length >= total} onClick={() => setOffset(offset + PAGE)}>
                  Later
                </button>
              </p>
            ) : null}
            <ol class="conversation">
              {said.map((each, index) => (
                <Turn key={offset + index} said={each} sought={sought !== undefined && offset + index === at ? sought : undefined} />
              ))}
            </ol>
          </>
        )
      }
    </Await>
  );
}

function Turn({ said, sought }: { readonly said: ConversationPart; readonly sought: SearchTarget | undefined }): JSX.Element {
  const words = sought?.words ?? [];
  const box = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (sought !== undefined && box.current !== null) showSought(box.current, { text: "", words });
  }, [sought]);
  const { speaker, kind, tool, text, characters, at, hasFailed } = said;
  const isPerson = /^(?:user|human)$/iu.test(speaker) && kind === "text";
  return (
    <li ref={box} class={isPerson ? "turn person" : `turn ${kind}`}>
      <p class="faint">
        {kind === "call" ? (
          <SafeText text={`calls ${tool ?? "a tool"}`} />
        ) : kind === "result" ? (
          hasFailed === true ? (
            "failed with"
          ) : (
            "result"
          )
        ) : (
          <SafeText text={speaker} />
        )}
        {at === undefined ? null : (
          <>
            {" "}
            <Ago at={at} />
          </>
        )}
      </p>
      {kind === "text" ? <Markdown text={text} words={words} /> : <pre class="text">{withWords(text, words)}</pre>}
      {characters === undefined ? null : (
        <p class="faint">
          The first {number(text.length)} of {number(characters)} characters. The Raw tab has all of it.
        </p>
      )}
    </li>
  );
}

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Said } from "../data/conversation.ts";
import { number } from "./format.ts";
import { Markdown } from "./markdown.tsx";
import { Ago, Await, Empty } from "./parts.tsx";
import { marked, SafeText } from "./safe-text.tsx";
import { useData, usePage } from "./use-data.ts";

/** The conversation that was stored with a checkpoint, or beside its session. */
export function ConversationTab({ id }: { readonly id: string }): JSX.Element {
  const { api } = usePage();
  const [offset, setOffset] = useState(0);
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
                <button type="button" disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - 200))}>
                  Earlier
                </button>
                <span aria-live="polite">
                  {number(offset + 1)} to {number(offset + said.length)} of {number(total)}
                </span>
                <button type="button" disabled={offset + said.length >= total} onClick={() => setOffset(offset + 200)}>
                  Later
                </button>
              </p>
            ) : null}
            <ol class="conversation">
              {said.map((each, index) => (
                <Turn key={offset + index} said={each} />
              ))}
            </ol>
          </>
        )
      }
    </Await>
  );
}

function Turn({ said }: { readonly said: Said }): JSX.Element {
  const { speaker, kind, tool, text, characters, at, hasFailed } = said;
  const isPerson = /^(?:user|human)$/iu.test(speaker) && kind === "text";
  return (
    <li class={isPerson ? "turn person" : `turn ${kind}`}>
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
      {kind === "text" ? <Markdown text={text} /> : <pre class="text">{marked(text)}</pre>}
      {characters === undefined ? null : (
        <p class="faint">
          The first {number(text.length)} of {number(characters)} characters. The Raw tab has all of it.
        </p>
      )}
    </li>
  );
}

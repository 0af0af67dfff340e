import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { TextPage } from "../data/context.ts";
import { number } from "./format.ts";
import { Await } from "./parts.tsx";
import { marked } from "./safe-text.tsx";
import { useData } from "./use-data.ts";

const PAGE = 20_000;

/** A long text in pages, so that no text is too long to be shown. */
export function PagedText({
  name,
  ask,
}: {
  readonly name: string;
  readonly ask: (offset: number, limit: number) => Promise<TextPage>;
}): JSX.Element {
  const [offset, setOffset] = useState(0);
  const loaded = useData(`${name} ${offset}`, () => ask(offset, PAGE));
  return (
    <Await loaded={loaded}>
      {({ text, characters }) => (
        <>
          {characters > PAGE ? <Pager offset={offset} length={text.length} characters={characters} onGo={setOffset} /> : null}
          <pre class="text" dir="auto" tabIndex={0}>
            {marked(text)}
          </pre>
        </>
      )}
    </Await>
  );
}

interface PagerProps {
  readonly offset: number;
  readonly length: number;
  readonly characters: number;
  readonly onGo: (offset: number) => void;
}

function Pager({ offset, length, characters, onGo }: PagerProps): JSX.Element {
  const last = Math.floor((characters - 1) / PAGE) * PAGE;
  return (
    <p class="pager">
      <button type="button" disabled={offset === 0} onClick={() => onGo(0)}>
        First
      </button>
      <button type="button" disabled={offset === 0} onClick={() => onGo(Math.max(0, offset - PAGE))}>
        Previous
      </button>
      <span aria-live="polite">
        {number(offset + 1)} to {number(offset + length)} of {number(characters)} characters
      </span>
      <button type="button" disabled={offset >= last} onClick={() => onGo(offset + PAGE)}>
        Next
      </button>
      <button type="button" disabled={offset >= last} onClick={() => onGo(last)}>
        Last
      </button>
    </p>
  );
}

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { TextPage } from "../data/context.ts";
import { number } from "./format.ts";
import { Await } from "./parts.tsx";
import type { SearchTarget } from "./route.ts";
import { withWords } from "./safe-text.tsx";
import { showSought } from "./show-search-target.ts";
import { useData } from "./use-data.ts";

const PAGE = 20_000;

export interface PagedTextProps {
  readonly name: string;
  readonly ask: (offset: number, limit: number) => Promise<TextPage>;
  readonly sought?: SearchTarget | undefined;
}

/** A long text in pages, so that no text is too long to be shown. Begins with the page of a place that is sought. */
export function PagedText({ name, ask, sought }: PagedTextProps): JSX.Element {
  const { at = 0, words = [] } = sought ?? {};
  const begin = at - (at % PAGE);
  const [offset, setOffset] = useState(begin);
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => setOffset(begin), [sought]);
  const loaded = useData(`${name} ${offset}`, () => ask(offset, PAGE));
  const text = loaded.data?.text;
  useEffect(() => {
    if (sought !== undefined && text !== undefined && offset === begin && box.current !== null)
      showSought(box.current, { text, words, at: at - begin });
  }, [sought, text]);
  return (
    <Await loaded={loaded}>
      {({ text, characters }) => (
        <>
          {characters > PAGE ? <Pager offset={offset} length={text.length} characters={characters} onGo={setOffset} /> : null}
          <pre ref={box} class="text" dir="auto" tabIndex={0}>
            {withWords(text, words)}
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

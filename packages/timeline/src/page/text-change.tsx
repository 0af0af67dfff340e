import type { JsonValue } from "@workrail/core";
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { compareLines, compareWords, type LinePart } from "./compare-texts.ts";
import { number, plural } from "./format.ts";
import { marked } from "./safe-text.tsx";

/** Changes of a text: by word in one line, otherwise by line. */
export function TextChange({ from, to }: { readonly from: string; readonly to: string }): JSX.Element {
  return from.includes("\n") || to.includes("\n") ? <Lines from={from} to={to} /> : <Words from={from} to={to} />;
}

/** Characters of both sides shown in one line. */
const SHORT = 40;

/** One line by word. A sentence that was written anew stands below the old one. */
function Words({ from, to }: { readonly from: string; readonly to: string }): JSX.Element {
  const parts = compareWords(from, to);
  if (parts === undefined) {
    const isShort = from.length + to.length <= SHORT;
    return (
      <p class={isShort ? "words" : "words anew"}>
        <del>{marked(from)}</del>
        {isShort ? " → " : null}
        <ins>{marked(to)}</ins>
      </p>
    );
  }
  return (
    <p class="words">
      {parts.map(({ same, del, ins }, index) => (
        <span key={index}>
          {same === undefined ? null : marked(same)}
          {del === undefined || del === "" ? null : <del>{marked(del)}</del>}
          {ins === undefined || ins === "" ? null : <ins>{marked(ins)}</ins>}
        </span>
      ))}
    </p>
  );
}

/** Unchanged lines shown around a change. */
const AROUND = 2;
/** Lines in a row that were added, or removed, of which all are shown. */
const MOST_IN_A_ROW = 12;
/** The first of more. */
const FIRST_LINES = 8;

interface Run {
  readonly kind: LinePart["kind"];
  readonly lines: readonly LinePart[];
}

function Lines({ from, to }: { readonly from: string; readonly to: string }): JSX.Element {
  const runs = runsOf(compareLines(from, to));
  if (runs.every(({ kind }) => kind === "same")) return <p class="faint">Only the ends of lines differ.</p>;
  return (
    <div class="lines">
      {runs.map((run, index) =>
        run.kind === "same" ? (
          <SameLines key={index} run={run} isFirst={index === 0} isLast={index === runs.length - 1} />
        ) : (
          <ManyLines key={index} kind={run.kind} lines={run.lines.map((line) => contentOf(line))} />
        ),
      )}
    </div>
  );
}

function runsOf(lines: readonly LinePart[]): readonly Run[] {
  const runs: { kind: LinePart["kind"]; lines: LinePart[] }[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last?.kind === line.kind) last.lines.push(line);
    else runs.push({ kind: line.kind, lines: [line] });
  }
  return runs;
}

function SameLines({
  run: { lines },
  isFirst,
  isLast,
}: {
  readonly run: Run;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}): JSX.Element {
  const [isAll, setAll] = useState(false);
  const [before, after] = [isFirst ? 0 : AROUND, isLast ? 0 : AROUND];
  const left = lines.length - before - after;
  const shown = (part: readonly LinePart[]): JSX.Element[] =>
    part.map(({ text }, index) => (
      <p key={index} class="text-line">
        {marked(text)}
      </p>
    ));
  if (left <= 1 || isAll) return <>{shown(lines)}</>;
  return (
    <>
      {shown(lines.slice(0, before))}
      <button type="button" class="plain more-lines" onClick={() => setAll(true)}>
        Show {number(left)} lines that are the same
      </button>
      {shown(lines.slice(lines.length - after))}
    </>
  );
}

/** Lines that were added, or removed: the first of many, and the others on demand. */
function ManyLines({ kind: Tag, lines }: { readonly kind: "ins" | "del"; readonly lines: readonly ComponentChildren[] }): JSX.Element {
  const [isAll, setAll] = useState(false);
  const first = isAll || lines.length <= MOST_IN_A_ROW ? lines : lines.slice(0, FIRST_LINES);
  return (
    <>
      {first.map((content, index) => (
        <Tag key={index} class="text-line">
          {content}
        </Tag>
      ))}
      {first.length === lines.length ? null : (
        <button type="button" class="plain more-lines" onClick={() => setAll(true)}>
          Show {plural(lines.length - first.length, `more ${WORDS[Tag]} line`)}
        </button>
      )}
    </>
  );
}

const WORDS = { ins: "added", del: "removed" } as const;

/** A changed line, its changed words marked. */
function contentOf({ kind, text, words }: LinePart): ComponentChildren {
  if (words === undefined || kind === "same") return marked(text);
  return words.map(({ same, [kind]: own = "" }, index) =>
    same === undefined ? <b key={index}>{marked(own)}</b> : <span key={index}>{marked(same)}</span>,
  );
}

const LONGEST_WHOLE = 2_000;

/** A value that is only on one side. */
export function Whole({ value, how: How }: { readonly value: JsonValue; readonly how: "ins" | "del" }): JSX.Element {
  const [isAll, setAll] = useState(false);
  const text = textOf(value);
  const lines = text.split("\n");
  if (lines.length > MOST_IN_A_ROW) {
    return (
      <div class="lines">
        <ManyLines kind={How} lines={lines.map((line) => marked(line))} />
      </div>
    );
  }
  const isLong = text.length > LONGEST_WHOLE && !isAll;
  return (
    <>
      <How class="whole">{marked(isLong ? text.slice(0, LONGEST_WHOLE) : text)}</How>
      {isLong ? (
        <button type="button" onClick={() => setAll(true)}>
          Show all {number(text.length)} characters
        </button>
      ) : null}
    </>
  );
}

/** Returns a string unchanged, and any other value as indented JSON. */
export function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}

/** Tags of blocks that hosts and this product add to text. They are not text of a user or a tool. */
const ADDED_BLOCKS = ["workrail-resume", "system-reminder", "hook_context", "user-prompt-submit-hook"] as const;

const TAG = new RegExp(`<(/?)(${ADDED_BLOCKS.join("|")})(?:\\s[^<>]*)?>`, "gu");

/**
 * The text without the blocks that a host or this product added to it.
 *
 * A tag without an end is kept, because people write about tags too.
 */
export function stripHostText(text: string): string {
  return without(text, ({ blocks }) => blocks);
}

/**
 * The output of a tool without the blocks that a host or this product added to it.
 *
 * Hosts cut long output, so a block without an end reaches to the end of the text.
 */
export function stripHostTextOfOutput(output: string): string {
  return without(output, ({ blocks, open }) => (open === undefined ? blocks : [...blocks, { start: open, end: output.length }]));
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Found {
  readonly blocks: readonly Span[];
  /** Place of the first tag without an end. */
  readonly open: number | undefined;
}

function without(text: string, spansOf: (found: Found) => readonly Span[]): string {
  if (!ADDED_BLOCKS.some((name) => text.includes(`<${name}`))) return text;
  let kept = "";
  let place = 0;
  for (const { start, end } of spansOf(blocksIn(text)).toSorted((left, right) => left.start - right.start)) {
    if (start > place) kept += text.slice(place, start);
    place = Math.max(place, end);
  }
  return (kept + text.slice(place)).trim();
}

/** An end closes the last open tag of its name, so a tag that a person wrote does not swallow text before a later block. */
function blocksIn(text: string): Found {
  const blocks: Span[] = [];
  const open = new Map<string, number[]>();
  for (const { 0: tag, 1: slash, 2: name = "", index } of text.matchAll(TAG)) {
    const begun = open.get(name) ?? [];
    open.set(name, begun);
    if (slash === "") begun.push(index);
    else closeBlock(begun.pop(), index + tag.length);
  }
  const places = [...open.values()].flatMap((begun) => begun.slice(0, 1));
  return { blocks, open: places.length === 0 ? undefined : Math.min(...places) };

  function closeBlock(start: number | undefined, end: number): void {
    if (start !== undefined) blocks.push({ start, end: text[end] === "\n" ? end + 1 : end });
  }
}

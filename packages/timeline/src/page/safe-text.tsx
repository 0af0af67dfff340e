import type { ComponentChildren, JSX } from "preact";

/** Characters that change how text around them looks, or that cannot be seen. A line break and a tab are text. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- These are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const NAMES: Readonly<Record<string, string>> = {
  "\u0000": "NUL",
  "\u001b": "ESC",
  "\u007f": "DEL",
  "\u061c": "ALM",
  "\u200b": "ZWSP",
  "\u200e": "LRM",
  "\u200f": "RLM",
  "\u202a": "LRE",
  "\u202b": "RLE",
  "\u202c": "PDF",
  "\u202d": "LRO",
  "\u202e": "RLO",
  "\u2066": "LRI",
  "\u2067": "RLI",
  "\u2068": "FSI",
  "\u2069": "PDI",
  "\ufeff": "BOM",
};
/** Joiners are part of emoji and of several scripts. */
const JOINERS = new Set(["\u200c", "\u200d"]);

/** Untrusted text: text nodes only, with the characters marked that nobody sees. */
export function SafeText({ text }: { readonly text: string }): JSX.Element {
  return <bdi>{marked(text)}</bdi>;
}

/** The text with its hidden characters marked. */
export function marked(text: string): ComponentChildren {
  if (text.search(HIDDEN) < 0) return text;
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(HIDDEN)) {
    if (JOINERS.has(found)) continue;
    parts.push(text.slice(end, index), <HiddenCharacter of={found} />);
    end = index + found.length;
  }
  return [...parts, text.slice(end)];
}

function HiddenCharacter({ of }: { readonly of: string }): JSX.Element {
  const code = (of.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return (
    <mark class="hidden-character" title={`Hidden character U+${code}`}>
      {NAMES[of] ?? `U+${code}`}
    </mark>
  );
}

/** Text in which words of a search are marked. */
export function WithWords({ text, words }: { readonly text: string; readonly words: readonly string[] }): JSX.Element {
  return <bdi>{withWords(text, words)}</bdi>;
}

/** The text with its hidden characters and the words marked. */
export function withWords(text: string, words: readonly string[]): ComponentChildren {
  const pattern = patternOf(words);
  if (pattern === undefined) return marked(text);
  return text.split(pattern).map((part, index) => (index % 2 === 1 ? <mark class="hit">{marked(part)}</mark> : marked(part)));
}

/** Returns a pattern that finds the words, the longest first. `undefined` when there are none. */
export function patternOf(words: readonly string[]): RegExp | undefined {
  const wanted = words.filter((word) => word.length > 1).map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`));
  if (wanted.length === 0) return undefined;
  return new RegExp(`(${wanted.toSorted((one, other) => other.length - one.length).join("|")})`, "giu");
}

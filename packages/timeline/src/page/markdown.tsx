import type { ComponentChildren, JSX } from "preact";
import { withWords } from "./safe-text.tsx";

/** Blocks of Markdown as nodes: headings, lists, code, paragraphs. Everything else is text; nothing becomes a link or HTML. */
export function Markdown({ text, words = [] }: { readonly text: string; readonly words?: readonly string[] }): JSX.Element {
  return <div class="markdown">{blocksOf(text, (part) => withWords(part, words))}</div>;
}

/** Makes nodes of a text that is no Markdown. */
type Marked = (text: string) => ComponentChildren;

const FENCE = /^\s*(`{3,}|~{3,})/u;
const HEADING = /^(#{1,6})\s+(.*)$/u;
const ITEM = /^(\s*)(?:[-*+]|\d{1,4}[.)])\s+(.*)$/u;

function blocksOf(text: string, marked: Marked): readonly JSX.Element[] {
  const lines = text.split("\n");
  const blocks: JSX.Element[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    const fence = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      const end = lines.findIndex((each, index) => index > at && each.trim().startsWith(fence));
      const stop = end < 0 ? lines.length : end;
      blocks.push(<pre>{marked(lines.slice(at + 1, stop).join("\n"))}</pre>);
      at = stop + 1;
      continue;
    }
    const kind = kindOf(line);
    const next = lines.findIndex((each, index) => index > at && (kind === "heading" || kindOf(each) !== kind));
    const end = next < 0 ? lines.length : next;
    if (kind !== "blank") blocks.push(blockOf(kind, lines.slice(at, end), marked));
    at = end;
  }
  return blocks;
}

function kindOf(line: string): "blank" | "fence" | "heading" | "item" | "text" {
  if (line.trim() === "") return "blank";
  if (FENCE.test(line)) return "fence";
  if (HEADING.test(line)) return "heading";
  return ITEM.test(line) ? "item" : "text";
}

function blockOf(kind: ReturnType<typeof kindOf>, lines: readonly string[], marked: Marked): JSX.Element {
  if (kind === "heading") return <p class="heading">{inline(HEADING.exec(lines[0] ?? "")?.[2] ?? "", marked)}</p>;
  if (kind !== "item") return <p>{inline(lines.join("\n"), marked)}</p>;
  return (
    <ul>
      {lines.map((line, index) => {
        const [, indent = "", content = ""] = ITEM.exec(line) ?? [];
        return (
          <li key={index} style={{ marginInlineStart: `${Math.min(6, indent.length / 2)}em` }}>
            {inline(content, marked)}
          </li>
        );
      })}
    </ul>
  );
}

/** Code and bold text within a line. */
function inline(text: string, marked: Marked): ComponentChildren {
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/u).map((part) => {
    if (part.length > 2 && part.startsWith("`") && part.endsWith("`")) return <code>{marked(part.slice(1, -1))}</code>;
    if (part.length > 4 && part.startsWith("**") && part.endsWith("**")) return <strong>{marked(part.slice(2, -2))}</strong>;
    return marked(part);
  });
}

import type { Line } from "./terminal-line.ts";

const FONT_SIZE = 14;
/** Width of a character in pixels. A character of a monospace font is at most about 0.6 em wide. */
const CHARACTER_WIDTH = FONT_SIZE * 0.61;
const LINE_HEIGHT = 20;
const PADDING = 20;

/** The picture has its own background, so that it is readable on a light and on a dark page. It needs no external font or file. */
const STYLE = `
  .screen { fill: #f6f8fa; stroke: #d0d7de }
  text { font: ${FONT_SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; white-space: pre; fill: #1f2328 }
  .heading { fill: #59636e }
  .command, .call { font-weight: 600; fill: #0550ae }
  .answer { font-weight: 600; fill: #116329 }
  @media (prefers-color-scheme: dark) {
    .screen { fill: #0d1117; stroke: #3d444d }
    text { fill: #e6edf3 }
    .heading { fill: #9198a1 }
    .command, .call { fill: #79c0ff }
    .answer { fill: #7ee787 }
  }
`;

/** Draws lines as a terminal shows them. The same lines always give the same SVG. */
export function drawTerminal(title: string, lines: readonly Line[]): string {
  const columns = Math.max(...lines.map(({ text }) => text.length));
  const width = Math.ceil(columns * CHARACTER_WIDTH) + 2 * PADDING;
  const height = lines.length * LINE_HEIGHT + 2 * PADDING;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="screen" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...lines.flatMap(({ kind, text }, index) => (text === "" ? [] : [drawn(kind, text, PADDING + FONT_SIZE + index * LINE_HEIGHT)])),
    "</svg>",
    "",
  ].join("\n");
}

function drawn(kind: Line["kind"], text: string, y: number): string {
  return `<text class="${kind}" x="${PADDING}" y="${y}" xml:space="preserve">${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

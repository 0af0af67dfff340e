/** Formats a Markdown table with aligned columns, readable as plain text: figures to the right, words to the left. */
export function table(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = headers.map((header, index) => {
    const cells = rows.map((row) => row[index] ?? "");
    return { width: Math.max(3, header.length, ...cells.map((cell) => cell.length)), isFigures: cells.every((cell) => FIGURE.test(cell)) };
  });
  const line = (cells: readonly string[]): string => {
    const padded = columns.map(({ width, isFigures }, index) => {
      const cell = cells[index] ?? "";
      return isFigures ? cell.padStart(width) : cell.padEnd(width);
    });
    return `| ${padded.join(" | ")} |`;
  };
  const rule = columns.map(({ width, isFigures }) => (isFigures ? `${"-".repeat(width - 1)}:` : "-".repeat(width)));
  return [line(headers), `| ${rule.join(" | ")} |`, ...rows.map(line)].join("\n");
}

const FIGURE = /^(-|[\d.,]+x?)$/;

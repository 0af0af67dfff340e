import type { Group, Part, Unit } from "./outline.ts";
import type { Candidate } from "./weigh-units.ts";

/** Mark of an omission inside a text. */
const GAP = "…";

/** Renders the chosen units of each part in the original order; `undefined` for a part without any. */
export function renderParts(parts: readonly Part[], candidates: readonly Candidate[], chosen: ReadonlySet<number>): (string | undefined)[] {
  const texts: (string | undefined)[] = parts.map(() => undefined);
  const lasts: (Candidate | undefined)[] = [];
  candidates.forEach((candidate, index) => {
    if (!chosen.has(index)) return;
    const last = lasts[candidate.part];
    const said = texts[candidate.part] ?? "";
    const text = withLabels(last?.unit.group, candidate);
    const joint =
      text.startsWith("#") && last !== undefined ? "\n" : jointOf(last?.unit, candidate.unit, last?.place === candidate.place - 1);
    texts[candidate.part] = said + joint + text;
    lasts[candidate.part] = candidate;
  });
  return texts.map((text, index) => (text === undefined ? undefined : withSpeaker(parts[index]?.root.label ?? "", text)));
}

function withSpeaker(speaker: string, text: string): string {
  return speaker === "" ? text : `${speaker}: ${text}`;
}

function jointOf(before: Unit | undefined, unit: Unit, isNext: boolean): string {
  if (before === undefined) return "";
  if (unit.joint === ", ") return isLine(before) ? "\n" : before.group === unit.group ? ", " : "; ";
  if (isNext) return unit.joint;
  return unit.joint === "\n" || before.group !== unit.group ? `\n${GAP}` : `${GAP} `;
}

/** Adds the headings and keys that are not written yet. */
function withLabels(open: Group | undefined, { unit, text }: Candidate): string {
  const said = new Set<Group>();
  for (let group = open; group !== undefined; group = group.parent) said.add(group);
  const labels: string[] = [];
  for (let group: Group | undefined = unit.group; group?.parent !== undefined && !said.has(group); group = group.parent) {
    if (group.label !== "") labels.unshift(group.label);
  }
  if (labels.length === 0) return text;
  const isHeading = labels.at(-1)?.startsWith("#") === true;
  return text === "" ? labels.join(": ") : `${labels.join(isHeading ? "\n" : ": ")}${afterLabel(labels.at(-1) ?? "", unit)}${text}`;
}

function isLine(unit: Unit): boolean {
  return unit.joint !== ", ";
}

/** Returns the separator after a label: a line break after a heading, a space after a date, a comma after a label with a name. */
function afterLabel(label: string, unit: Unit): string {
  if (label.startsWith("[")) return " ";
  if (isLine(unit)) return label.startsWith("#") ? "\n" : ": ";
  return label.includes(" ") ? ", " : ": ";
}

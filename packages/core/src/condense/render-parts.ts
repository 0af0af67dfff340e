import type { Group, Part, Unit } from "./outline.ts";
import type { Candidate } from "./weigh-units.ts";

/** Stands where something is left out inside a text. */
const GAP = "…";

/** The text of each part in the order of the original, `undefined` for a part of which nothing is kept. */
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

/** The headings and keys that are not said yet. */
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

/** A heading has its line, a date is said in front, and what has a name of its own goes on with a comma. */
function afterLabel(label: string, unit: Unit): string {
  if (label.startsWith("[")) return " ";
  if (isLine(unit)) return label.startsWith("#") ? "\n" : ": ";
  return label.includes(" ") ? ", " : ": ";
}

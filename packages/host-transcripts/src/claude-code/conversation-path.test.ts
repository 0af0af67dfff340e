import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConversationPath, type LinkedEntry } from "./conversation-path.ts";

/** The ids of the entries that are part of the conversation. */
function pathOf(entries: readonly LinkedEntry[], tip?: string): { readonly ids: readonly string[]; readonly path: ConversationPath } {
  const path = new ConversationPath(tip);
  const places = entries.map((entry) => path.add(entry));
  const kept = path.places();
  return { ids: entries.flatMap(({ id }, index) => (kept.has(places[index] ?? -1) ? id : [])), path };
}

type Move = { readonly kind: "prompt" | "entry" | "sibling" | "queued" | "back" | "start"; readonly steps: number };

const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.record({ kind: fc.constantFrom("prompt", "entry", "entry", "entry", "sibling", "queued", "back", "start"), steps: fc.nat(30) }),
  { maxLength: 60 },
);

/** Entries as a host could write them. `back` follows the entry before some prompt, `sibling` one a few entries before. */
function entriesOf(all: readonly Move[]): readonly LinkedEntry[] {
  const entries: LinkedEntry[] = [];
  for (const { kind, steps } of all) {
    const last = entries.at(-1)?.id ?? null;
    const isPrompt = kind !== "entry" && kind !== "sibling";
    const parents = {
      prompt: last,
      entry: last,
      sibling: entries.at(-1 - (steps % 4))?.id ?? last,
      queued: entries.at(-1 - (steps % 3))?.id ?? last,
      back: entries.filter((entry) => entry.isPrompt && entry.parent !== undefined).at(-steps)?.parent ?? last,
      start: null,
    };
    entries.push({ id: `entry-${entries.length}`, parent: parents[kind], isPrompt, mayGoBack: isPrompt && kind !== "queued" });
  }
  return entries;
}

describe("ConversationPath", () => {
  it("is the same in two steps as in one, or asks for the lines before", () => {
    fc.assert(
      fc.property(moves, fc.nat(60), (all, at) => {
        const entries = entriesOf(all);
        const first = pathOf(entries.slice(0, at));
        const second = pathOf(entries.slice(at), first.path.tip());
        if (second.path.needsLinesBefore) return;
        const whole = pathOf(entries);
        expect([...first.ids, ...second.ids]).toEqual(whole.ids);
        expect(second.path.tip()).toBe(whole.path.tip());
      }),
      { numRuns: 2000 },
    );
  });

  it("never requests earlier lines when it has all, nor without a rewind", () => {
    fc.assert(
      fc.property(moves, fc.nat(60), (all, at) => {
        expect(pathOf(entriesOf(all)).path.needsLinesBefore).toBe(false);
        const straight = entriesOf(all.filter(({ kind }) => kind !== "back" && kind !== "start"));
        const { path } = pathOf(straight.slice(0, at));
        expect(pathOf(straight.slice(at), path.tip()).path.needsLinesBefore).toBe(false);
      }),
    );
  });

  it("keeps its tip within 900 characters", () => {
    const entries = entriesOf(Array.from({ length: 100 }, () => ({ kind: "entry", steps: 0 })));
    const long = entries.map((entry) => ({ ...entry, id: `${entry.id}-5668-473c-9ec7-35d205d253ef`, parent: undefined }));
    expect(pathOf(long).path.tip().length).toBeLessThanOrEqual(900);
  });
});

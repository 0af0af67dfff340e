import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "@workrail/core";
import { condenseValue } from "./condense-value.ts";
import { STRATEGIES } from "./strategies.ts";
import { anyCharacter } from "../../../storage-conformance/test/any-character.ts";
import { runsOf } from "../../../storage-conformance/test/long-form.ts";

const count = (text: string): number => Math.ceil(text.length / 3);
const all = { count, strategies: STRATEGIES };

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.lorem({ mode: "sentences", maxCount: 12 }),
  fc.json(),
  fc.constantFrom("## Plan", "src/main.ts", "line one\nline two\n\nline four", "😀".repeat(50), "    at f (a.js:1:2)\n".repeat(20)),
);
const json = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>,
  fc.array(text, { maxLength: 30 }),
  fc.dictionary(fc.oneof(text, fc.constantFrom("__proto__", "…", "1")), fc.oneof(text, fc.array(text))),
  fc.array(fc.record({ role: fc.constantFrom("user", "assistant", "tool", "system"), content: text }), { maxLength: 30 }),
  text,
);
const room = fc.record({ tokens: fc.integer({ min: -10, max: 400 }), characters: fc.integer({ min: -10, max: 1_200 }) });
const focus = fc.option(text, { nil: undefined });
const strategies = fc.subarray([...STRATEGIES]);

describe("the kept parts", () => {
  it("of a table are whole rows", () => {
    const rows = Array.from({ length: 40 }, (_, at) => ({ region: `r${at % 5}`, orders: 2_000 + at * 37, refunds: 70 + ((at * 7) % 50) }));
    const { value } = condenseValue(rows, { tokens: 120, characters: 1_000 }, all) ?? {};
    const [note, ...kept] = value as string[];
    expect(note).toBe(`[${40 - kept.length} left out]`);
    expect(kept.length).toBeGreaterThan(2);
    for (const row of kept) expect(row).toMatch(/^region r\d, orders \d+, refunds \d+$/);
  });

  it("of a nested object with many members are one text instead of fragments", () => {
    const service = (at: number): [string, JsonValue] => [
      `s${at}`,
      { port: 8_000 + at, image: `shop/s${at}:2026.${at}`, env: { TZ: "UTC", LOG: "info" } },
    ];
    const services = Object.fromEntries(Array.from({ length: 12 }, (_, at) => service(at)));
    const { value } = condenseValue({ cluster: "eu", services }, { tokens: 150, characters: 1_000 }, all) ?? {};
    expect((value as { services: string }).services).toMatch(/s\d+: (?:port \d+, )?image shop/);
  });

  it("have headings on separate lines", () => {
    const chatter = "This is said at length, and says little of anything. ".repeat(4);
    const section = (at: number): string => `## Part ${at}\n\n${chatter}It costs ${at}00 EUR at vendor-${at}.`;
    const { value } = condenseValue([1, 2, 3, 4].map(section).join("\n\n"), { tokens: 80, characters: 1_000 }, all) ?? {};
    expect((value as string).match(/##/g)?.length).toBeGreaterThan(1);
    expect(value).not.toMatch(/[^\n]## /);
  });
});

describe("condensing a value", () => {
  it("never exceeds the room, for any value and token counter", () => {
    const counts = fc.constantFrom(
      count,
      (t: string) => t.length,
      (t: string) => Math.ceil(t.length / 4) + (t.length > 200 ? 50 : 0),
      () => 7,
    );
    fc.assert(
      fc.property(fc.record({ value: json, room, focus, strategies, count: counts }), ({ value, room, ...options }) => {
        const condensed = condenseValue(value, room, options);
        if (condensed === undefined) return;
        const written = JSON.stringify(condensed.value);
        expect(written.length).toBeLessThanOrEqual(room.characters);
        expect(options.count(written)).toBeLessThanOrEqual(room.tokens);
        expect(condensed.tokens).toBe(options.count(written));
      }),
      { numRuns: runsOf(400) },
    );
  });

  it("is deterministic and splits no character", () => {
    fc.assert(
      fc.property(json, room, focus, (value, within, about) => {
        const condensed = condenseValue(value, within, { ...all, focus: about });
        expect(condenseValue(structuredClone(value), within, { ...all, focus: about })).toEqual(condensed);
        // JSON text escapes lone surrogates.
        const isWhole = (each: unknown): boolean => !JSON.stringify(each ?? null).includes(String.raw`\ud`);
        expect(isWhole(condensed?.value) || !isWhole(value)).toBe(true);
      }),
      { numRuns: runsOf(300) },
    );
  });

  it("only reduces a value that fits then", () => {
    const value = { plan: "Retry the upload, then close the ticket.", attempts: 3 };
    expect(condenseValue(value, { tokens: 100, characters: 300 }, all)).toMatchObject({
      value,
      outcome: "reduced",
      strategies: ["reduce"],
    });
  });

  it("respects a limit of characters with any number of tokens", () => {
    const value = Array.from({ length: 200 }, (_, index) => `Module ${index} handles configuration ${(index * 7) % 1_009}.`).join(" ");
    for (const tokens of [3_000, 10_000, 1_000_000]) {
      const characters = Math.floor(value.length * 0.9);
      const condensed = condenseValue(value, { tokens, characters }, { count, strategies: ["reduce", "anchor", "select"] })?.value;
      expect(JSON.stringify(condensed ?? "").length).toBeGreaterThan(characters * 0.7);
    }
  });

  it("keeps small members of an object whole, and reports the number of omitted ones", () => {
    const value = { goal: "Ship 2.1", log: "nothing of note happened here today. ".repeat(200), flag: true, empty: {} };
    const condensed = condenseValue(value, { tokens: 60, characters: 200 }, all)?.value;
    expect(condensed).toMatchObject({ goal: "Ship 2.1", flag: true });
  });
});

const TALK = [
  { role: "user", content: "Hello! I would like to move order W2378156 to my new address, please. Do not cancel it." },
  { role: "assistant", content: "Sure, I would be happy to help you with that. Could you please tell me your email address?" },
  { role: "user", content: "It is yusuf@example.org." },
  {
    role: "assistant",
    content: "",
    tool_calls: [{ id: "c1", function: { name: "find_user", arguments: '{"email": "yusuf@example.org"}' } }],
  },
  {
    role: "tool",
    tool_call_id: "c1",
    content: '{"user_id": "yusuf_rossi_9620", "zip": "19122", "orders": [{"id": "W2378156", "status": "pending"}]}',
  },
  {
    role: "assistant",
    content: "Thank you for your patience. I have found your profile, and I will now look at the order that you have told me about.",
  },
];

describe("condensing a conversation", () => {
  it("keeps speakers, requests, and ids needed to continue", () => {
    const condensed = condenseValue(TALK, { tokens: 110, characters: 330 }, all);
    expect(condensed?.outcome).toBe("condensed");
    const said = condensed?.value as string[];
    expect(said.join("\n")).toMatch(/user: .*order W2378156/);
    expect(said.join("\n")).toContain("find_user");
    expect(said.join("\n")).toContain("yusuf_rossi_9620");
    expect(said.every((line) => /^(?:user|assistant|find_user): |^\[\d+ left out\]$/.test(line))).toBe(true);
  });

  it("keeps text related to the focus", () => {
    const talk = Array.from({ length: 40 }, (_, index) => ({
      role: "user",
      content: `On day ${index} we spoke of ${["bread", "cars", "rivers", "glass"][index % 4]} in town ${index * 7}.`,
    }));
    const odd = talk.with(20, { role: "user", content: "Melanie paints the sunset over the lake every summer." });
    const asked = condenseValue(odd, { tokens: 60, characters: 180 }, { ...all, focus: "When did Melanie paint a sunset?" });
    expect(JSON.stringify(asked?.value)).toContain("Melanie paints");
    expect(JSON.stringify(asked?.value)).toContain("sunset");
  });

  it("keeps requests regardless of the focus, and fills the remaining room", () => {
    const talk = [
      { role: "user", content: "Two weeks in Sapporo for at most 6,400 euros, and nothing with buckwheat." },
      ...Array.from({ length: 30 }, (_, index) => ({
        role: "assistant",
        content: `Looked at hotel number ${index} in district ${index * 3}.`,
      })),
      { role: "assistant", content: "The flight AY1740 is booked." },
    ];
    const told = condenseValue(talk, { tokens: 200, characters: 600 }, { ...all, focus: "Which flight was booked?" });
    const said = JSON.stringify(told?.value);
    expect(said).toContain("AY1740");
    expect(said).toContain("buckwheat");
    expect(told?.tokens).toBeGreaterThan(150);
  });

  it("does not spend room on lines that differ only in numbers", () => {
    const passed = Array.from({ length: 100 }, (_, index) => `✓ src/export/part-${index}.test.ts (3 tests) ${index}ms`);
    const output = [
      ...passed,
      "FAIL src/export/page-client.test.ts gives up on a repeated cursor",
      "expected E_CURSOR_STUCK",
      "✓ done",
    ].join("\n");
    const shown = condenseValue(output, { tokens: 90, characters: 270 }, { ...all, focus: "why does the test fail" })?.value;
    expect(shown).toContain("page-client.test.ts");
    expect(shown).toContain("E_CURSOR_STUCK");
  });

  it("keeps errors and the end of a log verbatim, rather than requests that differ in ids", () => {
    const request = (at: number): string =>
      `2026-02-11T09:${String(at % 60).padStart(2, "0")}:00Z INFO request=${(at * 2_654_435_761).toString(16)} GET /items/${at % 50} 200 in ${at % 90} ms`;
    const lines = Array.from({ length: 400 }, (_, at) => request(at));
    const lost = "2026-02-11T09:03:20Z ERROR the connection to the ledger was lost";
    const full = "2026-02-11T09:06:40Z ERROR could not write what is left: disk is full";
    lines[150] = lost;
    lines[300] = full;
    const { value } = condenseValue(lines.join("\n"), { tokens: 130, characters: 400 }, all) ?? {};
    const shown = (value as string).replaceAll("…", "").split("\n");
    expect(shown).toEqual(expect.arrayContaining([lost, full, lines.at(-1)]));
  });

  it("keeps a short record whole, because its name alone carries no information", () => {
    const labs = Array.from({ length: 60 }, (_, index) => ({ code: `L${index}`, value: index + 0.5, unit: "g/l", flag: "" }));
    const given = [...labs, { code: "TROP", value: 0.09, unit: "ug/l", flag: "HIGH" }];
    const records = JSON.stringify(condenseValue(given, { tokens: 120, characters: 360 }, all)?.value).match(/code [^"]*/g) ?? [];
    expect(records.length).toBeGreaterThan(3);
    expect(records.filter((record) => !/^code \w+, value [\d.]+, unit \w+\/l/.test(record))).toEqual([]);
  });

  it("prefers the values of members to their names", () => {
    const flight = (at: number): JsonValue => ({
      flight_number: `HAT${100 + at}`,
      available_seats: { basic_economy: 10 + at, premium_economy: 14 - at, business_class: 3 },
      prices: { basic_economy: 151 + at, premium_economy: 290 + at, business_class: 512 + at },
    });
    const messages = [
      { role: "user", content: "I want the cheapest flight to Oslo." },
      { role: "tool", name: "search_flights", content: JSON.stringify(Array.from({ length: 4 }, (_, at) => flight(at))) },
    ];
    const { value } = condenseValue(messages, { tokens: 60, characters: 2_000 }, all) ?? {};
    const flights = [100, 101, 102, 103].map((number) => `flight_number HAT${number}`).join("; ");
    expect((value as string[]).at(-1)).toBe(`search_flights: ${flights}`);
  });

  it("adds the date to a message that mentions yesterday", () => {
    const talk = [
      { speaker: "Caroline", text: "Yesterday I went to a pottery class with my sister Ann in Leeds.", date: "1:56 pm on 8 May, 2023" },
      {
        speaker: "Mel",
        text: "Well, that is really very nice to hear, and I would of course love to hear even more of it some time soon.",
        date: "1:57 pm on 8 May, 2023",
      },
    ];
    const said = condenseValue(talk, { tokens: 45, characters: 135 }, all)?.value;
    expect(said).toContainEqual(expect.stringMatching(/^Caroline: \[8 May, 2023\] .*pottery class/));
  });

  it("prefers facts said once to greetings and common topics in a chat", () => {
    const said = [
      "Morning all, how was the weekend? Mine was all rain and tea.",
      "Morning! We had rain too, and a lot of tea.",
      "The queue worker in Dublin ran out of memory at three, so I restarted it and raised the limit to 3 GB.",
      "The office in Porto is closed on Monday because of painting.",
      "The new intern is called Kofi, knows Rust and starts on the first of October.",
      "More tea for me now. Rain again.",
      "Rain here too. Have a good weekend, and enjoy the tea.",
    ];
    const talk = said.map((words, at) => ({ author: at % 2 === 0 ? "Ines" : "Raf", text: words }));
    const kept = JSON.stringify(condenseValue(talk, { tokens: 60, characters: 2_000 }, all)?.value);
    for (const fact of ["Dublin", "Kofi"]) expect(kept).toContain(fact);
    expect(kept).not.toMatch(/tea/u);
  });

  it("drops older parts first", () => {
    const talk = Array.from({ length: 30 }, (_, index) => ({
      role: "assistant",
      content: `Step ${index}: wrote module_${index}_file.ts and its tests.`,
    }));
    const kept = (strategies: typeof STRATEGIES | readonly ["anchor", "select"]): number[] =>
      [
        ...JSON.stringify(condenseValue(talk.slice(1), { tokens: 120, characters: 360 }, { count, strategies })?.value).matchAll(
          /module_(\d+)_/g,
        ),
      ].map((found) => Number(found[1]));
    const mean = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
    expect(mean(kept(STRATEGIES))).toBeGreaterThan(mean(kept(["anchor", "select"])));
  });
});

describe("condensing other things", () => {
  it("keeps the headings of kept text", () => {
    const filler = "There is not very much to be said about it at this point of time, as all of you will know. ".repeat(6);
    const page = `# Guide\n\n${filler}\n\n## Install\n\n${filler}\n\nRun \`npm ci --omit=dev\` in packages/runtime_core.\n\n## Notes\n\n${filler}`;
    const said = condenseValue(page, { tokens: 60, characters: 180 }, all)?.value as string;
    expect(said).toMatch(/## Install\n[^#]*npm ci --omit=dev/);
  });

  it("names the kept members of a list, and counts the omitted ones", () => {
    const flights = Array.from({ length: 50 }, (_, index) => ({
      flight_number: `HAT${100 + index}`,
      from: "JFK",
      price: 100 + index,
      seats: { economy: index },
    }));
    const said = condenseValue(flights, { tokens: 100, characters: 300 }, all)?.value as string[];
    expect(said[0]).toMatch(/^\[\d+ left out\]$/);
    expect(said.slice(1).every((each) => /^flight_number HAT\d+(?:$|, |; )/.test(each))).toBe(true);
  });

  it("splits a long text in a record into lines, under its key", () => {
    const filler = Array.from({ length: 60 }, (_, at) => `    ${String.fromCharCode(97 + (at % 26)).repeat(3 + (at % 5))} = ${at}`);
    const output = [...filler, "FATAL: relation ledger_2026 does not exist", ...filler].join("\n");
    const said = JSON.stringify(condenseValue([{ file: "migrate.sql", output }], { tokens: 60, characters: 180 }, all)?.value);
    expect(said).toContain("FATAL: relation ledger_2026 does not exist");
    expect(said).toMatch(/file migrate\.sql.*output: /);
  });

  it("puts the action of a step above its result, and keeps more of newer steps", () => {
    const step = (at: number): JsonValue => ({
      thought: `It may be that module_${at} is where the fault is, so that is what we should have a look at now.`,
      action: `open src/module_${at}.ts`,
      observation: `[File src/module_${at}.ts]\nexport const LIMIT_${at} = ${at};\n// nothing else of any interest is in here, as it seems to us`,
    });
    const steps = Array.from({ length: 40 }, (_, at) => step(at));
    const { value } = condenseValue(steps.slice(1), { tokens: 300, characters: 900 }, all) ?? {};
    const kept = (value as string[]).slice(1);
    expect(kept.length).toBeGreaterThan(3);
    for (const each of kept) expect(each).toMatch(/^action open src\/module_\d+\.ts/);
    const places = kept.map((each) => Number(/module_(\d+)/.exec(each)?.[1]));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places.reduce((sum, place) => sum + place, 0) / places.length).toBeGreaterThan(20);
    expect(places).toContain(39);
  });

  describe("an object with many records", () => {
    const order = (at: number): [string, JsonValue] => [
      `#W${1_000 + at}`,
      {
        order_id: `#W${1_000 + at}`,
        user_id: `user_${at * 7}`,
        status: at % 3 === 0 ? "pending" : "delivered",
        items: Array.from({ length: 6 }, (_, item) => ({
          name: `Thing ${at}-${item}`,
          product_id: `${at}${item}8310926`,
          price: at + item,
        })),
      },
    ];
    const orders = Object.fromEntries(Array.from({ length: 120 }, (_, at) => order(at)));
    const shown = (focus?: string): Record<string, string> =>
      condenseValue(orders, { tokens: 500, characters: 1_500 }, { ...all, focus })?.value as Record<string, string>;

    it("keeps enough of the newest records rather than fragments of each", () => {
      const { "…": note, ...kept } = shown();
      expect(note).toBe(`${120 - Object.keys(kept).length} left out`);
      expect(Object.keys(kept)).toContain("#W1119");
      for (const [key, said] of Object.entries(kept)) {
        expect(said.length).toBeGreaterThan(60);
        // The name already says that.
        expect(said).not.toContain(key);
      }
    });

    it("keeps most of the records related to the focus", () => {
      const kept = shown("settle the status of order #W1042");
      expect(kept).toMatchObject({ "#W1042": orders["#W1042"] });
      expect(Object.keys(kept).length).toBeGreaterThan(3);
    });
  });

  it("splits a text of one word in linear time", () => {
    const begin = performance.now();
    condenseValue("x".repeat(6_000_000), { tokens: 300, characters: 2_000 }, all);
    // Takes some hundred milliseconds; rescanning from the start would take two minutes.
    expect(performance.now() - begin).toBeLessThan(30_000);
  });

  it("splits a line with more sentences than a function takes arguments", () => {
    const line = Array.from({ length: 150_000 }, (_, index) => `${index}`).join("; ");
    expect(condenseValue(line, { tokens: 60, characters: 200 }, all)?.value).toContain("0; ");
  });

  it("finds the important line in very long texts", () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `INFO worker ${index % 7} is alive and well`);
    const log = lines.with(13_337, "ERROR E_CONN_4711 in src/net/pool.ts:88: connection refused").join("\n");
    const condensed = condenseValue(log, { tokens: 200, characters: 600 }, all);
    expect(condensed?.value).toContain("src/net/pool.ts:88");
  });
});

it("uses the room for an object of many large members, and counts the omitted ones", () => {
  const member = (index: number): JsonValue => ({ lines: index, content: `line ${index} of it says something else. `.repeat(40 + index) });
  const files = Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`src/part-${index}.ts`, member(index)]));
  for (const tokens of [100, 300, 500, 800, 1_200, 2_000, 3_000]) {
    const condensed = condenseValue(files, { tokens, characters: 45_000 }, all);
    expect([tokens, Number(condensed?.tokens) > tokens * 0.6, Number(condensed?.tokens) <= tokens]).toEqual([tokens, true, true]);
  }
});

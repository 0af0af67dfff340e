import { type JsonValue, LAYERS } from "@workrail/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyEntry, wordClassifier } from "./word-classifier.ts";
import * as vocabulary from "./vocabulary.ts";
import { anyCharacter } from "../../storage-conformance/test/any-character.ts";

function layerOf(key: string, value: JsonValue = "some text"): string {
  return classifyEntry(key, value).layer;
}

describe("who decides", () => {
  it("asks the key first, then the value", () => {
    expect(classifyEntry("testPlan", "2026-01-01T10:00:00Z")).toMatchObject({ layer: "IMPORTANT", why: 'key words "test plan"' });
    expect(classifyEntry("item7", "2026-01-01T10:00:00Z")).toMatchObject({ layer: "EPHEMERAL", why: "looks like a point in time" });
    expect(classifyEntry("zyx", "blue")).toEqual({ layer: "USEFUL", confidence: 0.3, why: "default" });
  });

  it("classifies the entries that it is asked for", async () => {
    const context = { goal: "g", plan: "p", risks: [], retryCount: 3, __proto__x: 1 };
    const told = await wordClassifier.classify(context, ["plan", "risks", "retryCount", "__proto__x"]);
    expect([...told].map(([key, { layer }]) => [key, layer])).toEqual([
      ["plan", "IMPORTANT"],
      ["risks", "IMPORTANT"],
      ["retryCount", "EPHEMERAL"],
      ["__proto__x", "USEFUL"],
    ]);
  });
});

describe("the words of a key", () => {
  it("classifies the bound of a measure as a limit, and its measured value as ephemeral", () => {
    expect(layerOf("maxRetries", 3)).toBe("CRITICAL");
    // The measured quantity does not matter.
    for (const key of ["maxPassengers", "min_rows", "maxPayload", "thresholdPct"]) expect(layerOf(key, 4)).toBe("CRITICAL");
    expect(layerOf("torqueLimitNm", 5)).toBe("CRITICAL");
    expect(layerOf("targetLatencyMs", 200)).toBe("CRITICAL");
    expect(layerOf("constraint.memory", "2 GB")).toBe("CRITICAL");
    expect(layerOf("latencyMaxMs", 310)).toBe("EPHEMERAL");
    expect(layerOf("retries", 3)).toBe("EPHEMERAL");
    expect(layerOf("constraintCount", 7)).toBe("EPHEMERAL");
  });

  it("skips a unit to find the measured noun", () => {
    expect(layerOf("weight_limit_kg", 20)).toBe("CRITICAL");
    expect(layerOf("maxDrawdownPct", 12)).toBe("CRITICAL");
    expect(layerOf("noticePeriodDays", 28)).toBe("CRITICAL");
    expect(layerOf("target_temp_celsius", 180)).toBe("CRITICAL");
    expect(layerOf("oven_temp", 180)).toBe("USEFUL");
    expect(layerOf("sales_eur", 1200)).toBe("USEFUL");
    expect(layerOf("stayNights", 4)).toBe("USEFUL");
    expect(layerOf("uptimeDays", 4)).toBe("EPHEMERAL");
    expect(layerOf("gpuTempC", 66)).toBe("EPHEMERAL");
  });

  it("classifies a deadline as CRITICAL", () => {
    expect(layerOf("deadline_utc", "2026-03-01T18:00:00Z")).toBe("CRITICAL");
    expect(layerOf("embargoUntil", "2026-05-04T06:00:00Z")).toBe("CRITICAL");
    expect(layerOf("submitBy", "2026-09-30")).toBe("CRITICAL");
    expect(layerOf("responseDue", "17:30")).toBe("CRITICAL");
    expect(layerOf("breakfast", "08:30")).toBe("USEFUL");
    expect(layerOf("lockedUntil", "2026-05-04T06:00:00Z")).toBe("EPHEMERAL");
    expect(layerOf("createdBy", "the importer")).not.toBe("CRITICAL");
  });

  it("classifies a prohibition that begins with no as a rule", () => {
    expect(layerOf("no_substitutions", ["yeast", "flour"])).toBe("CRITICAL");
    expect(layerOf("noFlyAirlines", ["Zephyr"])).toBe("CRITICAL");
    expect(layerOf("no_results_message", "Nothing found")).toBe("USEFUL");
  });

  it("recognises a wish and a ban in a sentence under a meaningless key", () => {
    expect(layerOf("memory.core.human", "Prefers short answers and no emoji")).toBe("CRITICAL");
    expect(layerOf("version_pin", "numpy must stay below 2.0")).toBe("CRITICAL");
    expect(layerOf("jurisdiction", "Applies only to German tenancy law; do not cite Austrian cases")).toBe("CRITICAL");
    expect(layerOf("source_protection", "The nurse must not be identifiable by her ward")).toBe("CRITICAL");
    expect(layerOf("source_protection", "It must be the pump, since the valve is new")).toBe("IMPORTANT");
    expect(layerOf("metar", "EGLL 121150Z 24008KT 9999 SCT030 12/07 Q1018")).toBe("USEFUL");
  });

  it("reads a noun after `of` like a noun in front of the head", () => {
    expect(layerOf("lineOfArgument", ["a"])).toBe("IMPORTANT");
    expect(layerOf("numberOfRetries", 2)).toBe("EPHEMERAL");
    expect(layerOf("summaryOfLogs")).toBe("IMPORTANT");
    expect(layerOf("questionFromUser")).toBe("CRITICAL");
  });

  it("classifies material under a noun of thinking as USEFUL", () => {
    expect(layerOf("exampleGoal")).toBe("USEFUL");
    expect(layerOf("flightOptions", [{ no: "TP 531" }])).toBe("USEFUL");
    expect(layerOf("designOptions", ["a", "b"])).toBe("IMPORTANT");
    expect(layerOf("dependencies", { zod: "^4.0.0" })).toBe("USEFUL");
    expect(layerOf("correlations", [0.1, 0.4])).toBe("USEFUL");
    expect(layerOf("leaseAgreement", "The tenant pays on the third. ".repeat(40))).toBe("USEFUL");
    expect(layerOf("leaseAgreement", "One more year at the same rent")).toBe("CRITICAL");
  });

  it("distinguishes the date of a decision from its due date", () => {
    expect(layerOf("decisionDate", "2026-03-04")).toBe("EPHEMERAL");
    expect(layerOf("deadlineDate", "2026-03-04")).toBe("CRITICAL");
  });

  it("classifies a sentence under a meaningful key as a note", () => {
    expect(layerOf("harbourCrane", "The second crane turns only to the left")).toBe("IMPORTANT");
    expect(layerOf("harbourCrane", "Nobody may use the second crane after dark")).toBe("CRITICAL");
    expect(layerOf("harbourCode", "NLRTM")).toBe("USEFUL");
  });

  it("classifies by the head noun", () => {
    expect(layerOf("analysisTimestamp", "2026-01-01")).toBe("EPHEMERAL");
    expect(layerOf("logAnalysis")).toBe("IMPORTANT");
    expect(layerOf("decisionLog", ["a"])).toBe("CRITICAL");
    expect(layerOf("debugStrategy")).toBe("IMPORTANT");
    expect(layerOf("userGoalHash", "abc")).toBe("EPHEMERAL");
    expect(layerOf("planForReview")).toBe("IMPORTANT");
    expect(layerOf("exampleFromTheGoals")).toBe("USEFUL");
    expect(layerOf("listOfDecisions", ["a"])).toBe("CRITICAL");
  });

  it("distinguishes a record from a thought by its content", () => {
    expect(layerOf("history", "first only CSV, then also XML")).toBe("IMPORTANT");
    expect(layerOf("history", [{ role: "user", content: "hello" }])).toBe("USEFUL");
    expect(layerOf("action", "repair the pump")).toBe("IMPORTANT");
    expect(layerOf("action", "find_file pump.py")).toBe("USEFUL");
    expect(layerOf("flightOptions", [{ price: 120 }])).toBe("USEFUL");
  });

  it("classifies keys that are questions", () => {
    expect(layerOf("whatWorked")).toBe("IMPORTANT");
    expect(layerOf("whyNotRedis")).toBe("IMPORTANT");
    expect(layerOf("whatTheUserWants")).toBe("CRITICAL");
    expect(layerOf("recheckRequired", true)).toBe("IMPORTANT");
  });

  it("classifies a sentence under a hasty name by its content", () => {
    expect(layerOf("tmp1", "I suspect that the lamp was never connected to the switch.")).toBe("IMPORTANT");
    expect(layerOf("tmp1", "ab12")).toBe("EPHEMERAL");
    expect(layerOf("x", "No personal data in the logs")).toBe("CRITICAL");
    expect(layerOf("x", "Three of five chapters are revised")).toBe("IMPORTANT");
    expect(layerOf("x", { make: "Volvo", model: "240", year: 1988 })).toBe("USEFUL");
    expect(layerOf("x", ["scan the letters (done)", "index them (next)"])).toBe("IMPORTANT");
    expect(layerOf("x", "processing... 3 of 12")).toBe("EPHEMERAL");
    expect(layerOf("x", "1h 12m")).toBe("EPHEMERAL");
    expect(layerOf("x", "job_88f2a1c0")).toBe("EPHEMERAL");
  });

  it("ignores words inside other words", () => {
    for (const key of ["catalog", "technology", "dialogs", "template", "temperature", "blog", "contemplation"]) {
      expect(layerOf(key), key).not.toBe("EPHEMERAL");
    }
  });
});

const value = fc.oneof(fc.jsonValue() as fc.Arbitrary<JsonValue>, fc.string({ unit: anyCharacter, maxLength: 2_000 }));

describe("a text under a meaningless key", () => {
  it("is classified by its title, at any length", () => {
    const policy = `# Policy for refunds\n\n${"Refunds are paid to the card that was used. ".repeat(30)}`;
    expect(layerOf("text", policy)).toBe("CRITICAL");
    expect(layerOf("text", policy.slice(policy.indexOf("\n")))).toBe("USEFUL");
  });
});

describe("any input", () => {
  it("is classified without errors and deterministically", async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string({ unit: anyCharacter }), value), async (context) => {
        const told = await wordClassifier.classify(context, Object.keys(context));
        expect([...told.keys()]).toEqual(Object.keys(context));
        for (const { layer, confidence, why } of told.values()) {
          expect(LAYERS).toContain(layer);
          expect(confidence).toBeGreaterThan(0);
          expect(confidence).toBeLessThanOrEqual(1);
          expect(why).not.toBe("");
        }
        expect(await wordClassifier.classify(structuredClone(context), Object.keys(context))).toEqual(told);
      }),
    );
  });

  it("gets the same layer for every spelling of a key", () => {
    const known = [...Object.values(vocabulary.HEADS), ...Object.values(vocabulary.MODIFIERS), ...Object.values(vocabulary.CONTAINERS)];
    const anyWord = fc.constantFrom(...known.flatMap((set) => [...set]).filter((word) => /^[a-z]{2,}$/.test(word)));
    fc.assert(
      fc.property(fc.array(anyWord, { minLength: 1, maxLength: 4 }), value, (words, value) => {
        const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
        const pascal = words.map(capital).join("");
        const snake = words.join("_");
        const styles = [
          `${words[0]}${pascal.slice(words[0]?.length)}`,
          pascal,
          snake,
          words.join("-"),
          words.join("."),
          words.join(" "),
          snake.toUpperCase(),
          `__${snake}`,
        ];
        const labels = new Set(styles.map((key) => JSON.stringify(classifyEntry(key, value))));
        expect([...labels]).toHaveLength(1);
      }),
    );
  });

  it("is read at the start only when the value is long", () => {
    let touched = 0;
    const long = new Proxy(
      Array.from({ length: 100_000 }, () => "a plan"),
      {
        get(target, key, receiver) {
          touched++;
          return Reflect.get(target, key, receiver) as unknown;
        },
      },
    );
    classifyEntry("item1", long);
    expect(touched).toBeLessThan(500);
  });
});

it("has each head noun in one table only", () => {
  const tables = [...Object.values(vocabulary.HEADS), ...Object.values(vocabulary.CONTAINERS), vocabulary.ASPECTS];
  const all = tables.flatMap((table) => [...table]);
  expect(all.filter((word, index) => all.indexOf(word) !== index)).toEqual([]);
});

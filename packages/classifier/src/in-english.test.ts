import { type Context, type JsonValue, wordsOf } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { classifyEntry, wordClassifier } from "./word-classifier.ts";
import { inEnglish } from "./in-english.ts";

const read = (key: string, value: JsonValue = "text"): string => inEnglish(wordsOf(key), value).join(" ");
const layerOf = (key: string, value: JsonValue): string => classifyEntry(key, value).layer;

describe("inEnglish", () => {
  it("returns English keys unchanged", () => {
    for (const key of ["userGoal", "resumePoint", "standingOrders", "exitCode", "planes", "zyx", "understanding"]) {
      expect(read(key)).toBe(wordsOf(key).join(" "));
    }
  });

  it("reads a German compound by its last part, with or without umlauts", () => {
    expect(read("Akzeptanzkriterien")).toMatch(/criterion$/);
    expect(read("kundenanfrage")).toBe("customer request");
    for (const key of ["nächsteSchritte", "naechste_schritte", "NÄCHSTE_SCHRITTE"]) expect(read(key)).toBe("next step");
    expect(read("höchstgewicht")).toBe("maximum value");
  });

  it("puts the noun last where French and Spanish put it first", () => {
    expect(read("paso_actual")).toBe("current step");
    expect(read("demande_client")).toBe("client request");
    expect(read("prochaines_étapes")).toMatch(/^next /);
    expect(read("motivo_de_escalada")).toBe("reason of escalada");
  });

  it("finds the words of Chinese and Japanese keys from their end", () => {
    expect(read("当前步骤")).toBe("current step");
    expect(read("次のステップ")).toBe("next step");
    // A single character inside an unknown word is not translated.
    expect(read("発表会")).toBe("発表会");
  });

  it("makes the noun of a list plural", () => {
    expect(read("aufgaben", ["a"])).toBe("tasks");
    expect(read("aufgabe", "a")).toBe("task");
  });
});

describe("an ephemeral name", () => {
  it("does not make a substantial value EPHEMERAL", () => {
    expect(layerOf("progress", "12 tests red")).toBe("IMPORTANT");
    expect(layerOf("window", { cutover: "2026-04-18 22:00 to 04:00", freeze: "no schema change after 2026-04-10" })).toBe("CRITICAL");
    expect(layerOf("metrics", { summary: "scrap fell by half", open: "night shift" })).toBe("IMPORTANT");
    expect(layerOf("metrics", { accuracy: 0.92, recall: 0.8 })).toBe("USEFUL");
    expect(layerOf("tempWorkers", ["Ann Berg", "Bo Lind"])).toBe("USEFUL");
    expect(layerOf("window", { start: "2026-04-18T22:00:00Z", end: "2026-04-19T04:00:00Z" })).toBe("CRITICAL");
    expect(layerOf("debug", { suspicion: "the pool leaks when a query is cancelled" })).not.toBe("EPHEMERAL");
  });

  it("makes a trivial value EPHEMERAL", () => {
    expect(layerOf("performanceMetrics", { p50: 12, p95: 48 })).toBe("EPHEMERAL");
    expect(layerOf("window", { width: 800, height: 600 })).toBe("EPHEMERAL");
    expect(layerOf("progress", "45%")).toBe("EPHEMERAL");
    expect(layerOf("stepDurations", [12, 431])).toBe("EPHEMERAL");
    expect(layerOf("logs", "12:00:01 INFO start\n12:00:02 INFO ready")).toBe("EPHEMERAL");
    expect(layerOf("cache", { k1: "v1", k2: "v2" })).toBe("EPHEMERAL");
  });
});

describe("running work", () => {
  it("keeps the entries that a workflow needs to continue", () => {
    for (const [key, value] of [
      ["workflowId", "bugfix"],
      ["loopState", { index: 4, total: 19 }],
      ["loopItems", ["INV-1", "INV-2"]],
      ["stepIndex", 7],
      ["currentIteration", 3],
      ["remainingStops", 9],
    ] as const) {
      expect(layerOf(key, value as JsonValue), key).toBe("IMPORTANT");
    }
  });

  it("keeps a bare counter only next to a loop", async () => {
    const classify = (context: Context) => wordClassifier.classify(context, Object.keys(context));
    expect((await classify({ iteration: 3, retryCount: 2 })).get("iteration")?.layer).toBe("EPHEMERAL");
    const told = await classify({ iteration: 3, retryCount: 2, loopState: { at: "b" }, elapsedMs: 12 });
    expect(told.get("iteration")).toMatchObject({ layer: "IMPORTANT", why: "a counter of a running loop" });
    expect(told.get("retryCount")?.layer).toBe("IMPORTANT");
    expect(told.get("elapsedMs")?.layer).toBe("EPHEMERAL");
  });
});

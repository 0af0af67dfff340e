import { describe, expect, it } from "vitest";
import { NO_ENGINE_STATE } from "./enhanced-context.ts";
import { endPhase, enterPhase } from "./phases.ts";

const PHASES = [
  { name: "collect", checkpoint: true },
  { name: "check", checkpoint: false },
  { name: "report", checkpoint: true },
];

describe("phases", () => {
  it("follow each other in the order of the rules", () => {
    const collect = enterPhase(NO_ENGINE_STATE, "collect", PHASES);
    expect(collect).toMatchObject({ engine: { phase: "collect" } });
    expect(collect.ended).toBeUndefined();
    const check = endPhase({ ...collect.engine, step: "last" }, "collect", PHASES);
    expect(check).toMatchObject({ engine: { phase: "check", completedPhases: ["collect"] }, ended: { name: "collect", checkpoint: true } });
    expect(check.engine.step).toBeUndefined();
    const report = enterPhase(check.engine, "report", PHASES);
    expect(report).toMatchObject({ engine: { phase: "report", completedPhases: ["collect", "check"] }, ended: { checkpoint: false } });
    const done = endPhase(report.engine, "report", PHASES);
    expect(done.engine).toMatchObject({ completedPhases: ["collect", "check", "report"] });
    expect(done.engine.phase).toBeUndefined();
  });

  it("need no rules, and may be repeated", () => {
    const once = endPhase(enterPhase(NO_ENGINE_STATE, "draft", undefined).engine, "draft", undefined);
    expect(once).toMatchObject({ ended: { name: "draft", checkpoint: true } });
    const twice = endPhase(enterPhase(once.engine, "draft", undefined).engine, "draft", undefined);
    expect(twice).toMatchObject({ engine: { completedPhases: ["draft"] }, ended: { name: "draft" } });
  });

  it("end once, even when ended repeatedly", () => {
    const ended = endPhase({ ...NO_ENGINE_STATE, phase: "collect" }, "collect", PHASES);
    const again = endPhase(ended.engine, "collect", PHASES);
    expect(again.engine).toBe(ended.engine);
    expect(again.ended?.name).toBe("collect");
  });

  it("are refused when the workflow lacks the phase, or another one is active", () => {
    expect(() => enterPhase(NO_ENGINE_STATE, "deploy", PHASES)).toThrow('The workflow has no phase "deploy".');
    expect(() => endPhase({ ...NO_ENGINE_STATE, phase: "collect" }, "report", PHASES)).toThrow('The current phase is "collect"');
    expect(() => enterPhase(NO_ENGINE_STATE, "", undefined)).toThrow("A phase must have a name.");
  });
});

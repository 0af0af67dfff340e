import { beforeEach, describe, expect, it } from "vitest";
import { Ledger } from "./ledger.ts";

describe("a ledger", () => {
  let ledger: Ledger;

  beforeEach(() => {
    ledger = new Ledger();
    ledger.acknowledge("a", 1, '{"n":1}');
    ledger.acknowledge("b", 2, '{"n":2}');
    ledger.lose(3, '{"n":3}');
  });

  it("accepts exactly the acknowledged saves", () => {
    expect(ledger.compare("a", '{"n":1}', "now")).toBe(true);
    expect(ledger.mismatches).toEqual([]);
    expect(ledger.latest).toEqual({ checkpointId: "b", step: 2 });
    expect(ledger.bytes).toBe(14);
  });

  it("accepts an unanswered save that is whole", () => {
    expect(ledger.compare("c", '{"n":3}', "now")).toBe(true);
    expect(ledger.stepOf("c", '{"n":3}')).toBe(3);
    expect(ledger.compare("c", '{"n":', "now")).toBe(false);
    expect(ledger.mismatches).toEqual(["now: checkpoint c is nothing that was ever saved"]);
  });

  it.each([
    ["another value", '{"n":9}'],
    ["another order or spacing", '{"n": 1}'],
    ["a part of it", '{"n":1'],
    ["another step's text", '{"n":2}'],
    ["the text of a save that was not answered", '{"n":3}'],
  ])("names a checkpoint that comes back as %s", (_what, text) => {
    expect(ledger.compare("a", text, "now")).toBe(false);
    expect(ledger.mismatches).toEqual([expect.stringMatching(/^now: step 1 \(a\) came back different, from character \d: /u)]);
  });

  it("keeps the first text when a later save of equal content is answered with the same checkpoint", () => {
    ledger.acknowledge("a", 4, '{"other":"text"}');
    expect(ledger.compare("a", '{"n":1}', "now")).toBe(true);
    expect(ledger.latest).toEqual({ checkpointId: "a", step: 1 });
  });
});

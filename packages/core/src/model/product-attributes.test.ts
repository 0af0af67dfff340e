import { describe, expect, it } from "vitest";
import { parseSessionId } from "./ids.ts";
import { type NamedSession, sessionNameAttribute } from "./product-attributes.ts";

const generated: NamedSession = {
  sessionId: parseSessionId("5f0c7b1e-4d3a-4a53-9c1f-0123456789ab"),
  goal: undefined,
  project: "/home/ada/projects/webshop",
  begunAt: new Date("2026-01-31T12:00:00.000Z"),
};

describe("the name of a session", () => {
  it("is kept for generated ids alone", () => {
    expect(sessionNameAttribute({ ...generated, goal: "mend the login" })).toEqual({ sessionName: "mend the login" });
    expect(sessionNameAttribute({ ...generated, sessionId: parseSessionId("login"), goal: "mend the login" })).toEqual({});
  });

  it.each([
    ["/home/ada/projects/webshop", "webshop 2026-01-31"],
    ["C:\\work\\web shop\\", "web shop 2026-01-31"],
    ["/", "session 2026-01-31"],
    [undefined, "session 2026-01-31"],
  ])("without a goal is the project's folder and the day of its first save: %s", (project, sessionName) => {
    expect(sessionNameAttribute({ ...generated, project })).toEqual({ sessionName });
  });

  it.each([
    ["x".repeat(60), "x".repeat(60)],
    [
      "let customers of the shop use coupons, and tell them so, which takes longer",
      "let customers of the shop use coupons, and tell them so…",
    ],
    ["🚀".repeat(61), `${"🚀".repeat(59)}…`],
  ])("is cut between words, and never within a character: %s", (goal, sessionName) => {
    expect(sessionNameAttribute({ ...generated, goal })).toEqual({ sessionName });
  });
});

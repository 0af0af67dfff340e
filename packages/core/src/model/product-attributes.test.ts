import { describe, expect, it } from "vitest";
import { type NamedSession, sessionNameAttribute } from "./product-attributes.ts";

const named: NamedSession = {
  goal: undefined,
  project: "/home/ada/projects/webshop",
  begunAt: new Date("2026-01-31T12:00:00.000Z"),
};

describe("the name of a session", () => {
  it("is the goal", () => {
    expect(sessionNameAttribute({ ...named, goal: "mend the login" })).toEqual({ sessionName: "mend the login" });
  });

  it.each([
    ["/home/ada/projects/webshop", "webshop 2026-01-31"],
    ["C:\\work\\web shop\\", "web shop 2026-01-31"],
    ["/", "session 2026-01-31"],
    [undefined, "session 2026-01-31"],
  ])("without a goal is the project's folder and the day of its first save: %s", (project, sessionName) => {
    expect(sessionNameAttribute({ ...named, project })).toEqual({ sessionName });
  });

  it.each([
    ["x".repeat(60), "x".repeat(60)],
    [
      "let customers of the shop use coupons, and tell them so, which takes longer",
      "let customers of the shop use coupons, and tell them so…",
    ],
    ["🚀".repeat(61), `${"🚀".repeat(59)}…`],
  ])("is cut between words, and never within a character: %s", (goal, sessionName) => {
    expect(sessionNameAttribute({ ...named, goal })).toEqual({ sessionName });
  });
});

import process from "node:process";
import { describe, expect, it, vi } from "vitest";
import { createLog } from "./log.ts";
import { RawClient } from "./testing/raw-client.ts";

/** Returns the log of a server that fails once and stops. */
async function logOf(level: string | undefined): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new RawClient({ WORKRAIL_LOG_LEVEL: level });
  await client.call(1, "fail_unforeseen");
  client.endInput();
  expect(await client.exit()).toEqual({ code: 0, signal: null });
  expect(client.answers).toHaveLength(1);
  const lines = client.stderr.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

describe("createLog", () => {
  it("logs warnings and errors to stderr by default", async () => {
    expect(await logOf(undefined)).toEqual([
      {
        level: "error",
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/u) as unknown,
        tool: "fail_unforeseen",
        error: expect.objectContaining({ type: "Error" }) as unknown,
        msg: "a tool failed unexpectedly",
      },
    ]);
  });

  it("logs more from the level in WORKRAIL_LOG_LEVEL upwards", async () => {
    const messages = (await logOf("info")).map(({ msg }) => msg);
    expect(messages).toEqual(["a tool failed unexpectedly", "stopping"]);
  });

  it("can be silent", async () => {
    expect(await logOf("silent")).toEqual([]);
  });

  it("does not stop the server when stderr is closed, or never read", async () => {
    const client = new RawClient();
    client.ignoreErrors();
    for (let id = 1; id <= 1_000; id += 1) {
      await client.request(id, "tools/call", { name: "fail_unforeseen" });
    }
    expect((await client.answer(1_000)).result?.isError).toBe(true);
    client.closeErrors();
    expect((await client.call("next", "fail_unforeseen")).result?.isError).toBe(true);
    client.endInput();
    expect(await client.exit()).toEqual({ code: 0, signal: null });
  });
});

it("escapes control characters, and keeps the meaning", () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  const text = "\u009b31m \u202egnp.exe \u2066 \u007f \u001b[2J \u200e";
  createLog("warn").warn(text, { path: text });
  write.mockRestore();
  expect(lines.join("")).toMatch(/^[\u0020-\u007e]+\n$/u);
  expect(JSON.parse(lines.join(""))).toMatchObject({ msg: text, path: text });
});

import type { LoadCheckpointResult } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();
const CONTEXT = { plan: ["read", "write"], state: { done: true, "a/b": null }, note: "x\u202ey\u009b31m" };

describe("workrail show", () => {
  it("prints metadata for people, then the whole context", async () => {
    const labels = ["--name", "before\u001b[31m", "--tag", "a", "--tag", "b", "--agent", "me", "--metadata", '{"ticket":{"n":7}}'];
    await cli.save(CONTEXT, "--session", "s", "--id", "cp-1", ...labels);
    expect(cli.normal(await cli.output(["show", "cp-1"]))).toMatchInlineSnapshot(`
      "id                cp-1
      sessionId         s
      sequence          1
      parentId          none
      name              before\\u001b[31m
      tags              a, b
      kind              workflow
      createdAt         2026-01-31T12:00:00.000Z
      lastAccessedAt    2026-01-31T12:00:00.000Z
      agentId           me
      ticket            {"n":7}
      project           <folder>/project
      contextSizeBytes  999
      contextHash       19e9aef50634f713192df9c00738d0a389ffc7fedd6e72033bad6649512ca7bb
      blobPath          contexts/s/cp-1.json.gz
      layers            {"IMPORTANT":2,"USEFUL":1}

      {
        "plan": [
          "read",
          "write"
        ],
        "state": {
          "done": true,
          "a/b": null
        },
        "note": "x\\u202ey\\u009b31m"
      }
      "
    `);
  });

  it("prints a context as equal JSON, even with escaped characters", async () => {
    await cli.save(CONTEXT, "--id", "cp-1");
    const [, context = ""] = (await cli.output(["show", "cp-1"])).split("\n\n");
    expect(JSON.parse(context)).toEqual(CONTEXT);
  });

  it("prints one JSON object", async () => {
    await cli.save(CONTEXT, "--session", "s", "--id", "cp-1");
    await cli.save({ later: 1 }, "--session", "s", "--id", "cp-2");
    const shown = await cli.json<LoadCheckpointResult>(["show", "cp-1"]);
    expect(shown).toEqual({
      metadata: {
        id: "cp-1",
        sessionId: "s",
        project: cli.project,
        createdAt: expect.any(String),
        lastAccessedAt: expect.any(String),
        contextSizeBytes: expect.any(Number),
        contextHash: expect.any(String),
        blobPath: "contexts/s/cp-1.json.gz",
        parentId: null,
        kind: "workflow",
        sequence: 1,
        layers: { IMPORTANT: 2, USEFUL: 1 },
      },
      context: CONTEXT,
    });
    expect(await cli.json(["show", "--session", "s"])).toMatchObject({ metadata: { id: "cp-2" }, context: { later: 1 } });
  });

  it("prints a context of any size whole", async () => {
    const context = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`entry ${n}`, "text ".repeat(100)]));
    await cli.save(context, "--id", "large");
    const [, shown = ""] = (await cli.output(["show", "large"])).split("\n\n");
    expect(JSON.parse(shown)).toEqual(context);
  });

  it("takes a prefix of an id, or the number of checkpoints to go back", async () => {
    const save = (id: string, session: string): Promise<unknown> => cli.save({ id }, "--session", session, "--id", id);
    await save("aaaa1111-first", "s");
    await save("aaaa2222-second", "s");
    await save("bbbb3333-third", "t");
    const shown = async (...args: string[]): Promise<unknown> => (await cli.json<LoadCheckpointResult>(["show", ...args])).metadata.id;
    expect(await shown("aaaa1")).toBe("aaaa1111-first");
    expect(await shown("latest~2")).toBe("aaaa1111-first");
    expect(await shown("latest", "--session", "s")).toBe("aaaa2222-second");
    const ambiguous = await cli.run(["show", "aaaa"]);
    expect(ambiguous.stderr).toMatch(
      /Several checkpoints begin with "aaaa": aaaa2222-second \(session s\), aaaa1111-first \(session s\)\./u,
    );
    const unknown = await cli.run(["show", "bbbb3334-third"]);
    expect(unknown.stderr).toBe("CHECKPOINT_NOT_FOUND: There is no checkpoint bbbb3334-third.\n  Nearest: bbbb3333-third (session t).\n");
  });
});

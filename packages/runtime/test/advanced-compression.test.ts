import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { openMemoryStorage } from "@workrail/memory";
import { openWorkrail } from "../src/open-workrail.ts";
import type { Workrail } from "../src/workrail.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const STORY = "We went on with the work and looked at many things that had to be looked at, one after another. ";
const context = { goal: "Ship it", notes: STORY.repeat(100) };

const bodies: string[] = [];
let status = 200;
const server = createServer((request, response) => void respond(request, response));

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  bodies.push(await readAll(request));
  response.writeHead(status).end(JSON.stringify({ choices: [{ message: { content: "Work went on." } }] }));
}

beforeAll(() => new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening)));
afterAll(() => new Promise((closed) => server.close(closed)));

async function opened<T>(env: Readonly<Record<string, string>>, use: (workrail: Workrail) => Promise<T>): Promise<T> {
  const workrail = await openWorkrail({ env, project: null, dataDir: "unused", adapters: { storage: () => openMemoryStorage() } });
  try {
    return await use(workrail);
  } finally {
    await workrail.close();
  }
}

function settings(): Record<string, string> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { WORKRAIL_CONTEXT_COMPRESSION: "advanced", WORKRAIL_CONDENSER_URL: url, WORKRAIL_CONDENSER_MODEL: "small" };
}

describe("advanced compression", () => {
  it("calls the configured endpoint, once for equal input, and keeps the original", async () => {
    bodies.length = 0;
    await opened(settings(), async (workrail) => {
      const shaped = await workrail.compressContext({ context, budgetTokens: 300 });
      expect(shaped).toMatchObject({
        context: { goal: "Ship it", notes: "Work went on." },
        advanced: { by: "small", condensed: 1, fellBack: [] },
      });
      expect(await workrail.compressContext({ context, budgetTokens: 300 })).toMatchObject({
        context: shaped.context,
        advanced: shaped.advanced,
      });
      expect(bodies).toHaveLength(1);
      const original = await workrail.loadCheckpoint({ checkpointId: String(shaped.checkpointId) });
      expect(original.context).toEqual(context);
    });
  });

  it("sends no national ids, and e-mail addresses only unless all personal data counts as secret", async () => {
    const personal = {
      goal: "Ship it",
      card: 4012888888881881,
      notes: `${STORY.repeat(50)} pay DE89 3704 0044 0532 0130 00, ask jo.doe@acme-shop.co.uk ${STORY.repeat(50)}`,
    };
    for (const [env, sendsMail] of [
      [{}, true],
      [{ WORKRAIL_SECRETS_PERSONAL_DATA: "all" }, false],
    ] as const) {
      bodies.length = 0;
      await opened({ ...settings(), ...env }, (workrail) =>
        workrail.compressContext({ context: personal, budgetTokens: 300, focus: "4012888888881881" }),
      );
      expect(bodies.length).toBeGreaterThan(0);
      expect(bodies.join("")).not.toMatch(/DE89|4012888/u);
      expect(bodies.join("").includes("jo.doe@acme")).toBe(sendsMail);
    }
  });

  it("works without the endpoint, reports the reason, and calls it again the next time", async () => {
    const without = await opened({}, (workrail) => workrail.compressContext({ context, budgetTokens: 300 }));
    await opened(settings(), async (workrail) => {
      status = 500;
      const shaped = await workrail.compressContext({ context, budgetTokens: 300 });
      expect(shaped.context).toEqual(without.context);
      expect(shaped.advanced).toEqual({
        by: "small",
        condensed: 0,
        fellBack: [{ key: "notes", why: "The endpoint answered with status 500." }],
      });
      status = 200;
      expect(await workrail.compressContext({ context, budgetTokens: 300 })).toMatchObject({ advanced: { condensed: 1 } });
    });
  });

  it("names missing settings", async () => {
    await opened({ WORKRAIL_CONTEXT_COMPRESSION: "advanced" }, async (workrail) => {
      const { advanced } = await workrail.compressContext({ context, budgetTokens: 300 });
      const why = "No model is used: WORKRAIL_CONDENSER_URL and WORKRAIL_CONDENSER_MODEL must be set.";
      expect(advanced).toEqual({ by: "none", condensed: 0, fellBack: [{ key: "notes", why }] });
    });
  });

  it("calls no endpoint unless contextCompression is advanced", async () => {
    bodies.length = 0;
    const { WORKRAIL_CONTEXT_COMPRESSION: _, ...rest } = settings();
    for (const env of [rest, { ...rest, WORKRAIL_CONTEXT_COMPRESSION: "basic" }]) {
      const shaped = await opened(env, (workrail) => workrail.compressContext({ context, budgetTokens: 300 }));
      expect(shaped).not.toHaveProperty("advanced");
    }
    expect(bodies).toEqual([]);
  });

  it("refuses an invalid address", async () => {
    for (const url of ["localhost:11434", "file:///etc/passwd", "nonsense"]) {
      await expect(opened({ ...settings(), WORKRAIL_CONDENSER_URL: url }, async () => {})).rejects.toThrow("WORKRAIL_CONDENSER_URL");
    }
  });
});

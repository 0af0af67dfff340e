import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { StoredSecret } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { KINDS, onDisk, type Place, refusalOf } from "./stores.ts";

/** Joined here, so that scanners of repositories do not report this file. */
const TOKEN = ["ghp", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"].join("_");
const PASSWORD = ["Winter", "2024!"].join("");
const CONTEXT = {
  goal: "deploy",
  env: { GITHUB_TOKEN: TOKEN },
  steps: [`git clone https://me:${TOKEN}@github.com/a/b`],
  database: { password: PASSWORD },
};
const METADATA = { name: `with ${TOKEN}`, tags: [TOKEN, "ci"], attributes: { ticket: { password: PASSWORD } } };
const PLACES = ["name", "tags[0]", 'metadata["ticket"]["password"]', 'context["env"]["GITHUB_TOKEN"]', 'context["steps"][0]'];

const opened = (place: Place, mode?: string) => place.open({ env: mode === undefined ? {} : { WORKRAIL_SECRETS: mode } });

/** Returns every byte that a store keeps, with checkpoint files decompressed. */
function everythingIn(dataDir: string): string {
  const files = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).map((name) => path.join(dataDir, name));
  const contents = files
    .filter((file) => statSync(file).isFile())
    .map((file) => {
      const bytes = readFileSync(file);
      return file.endsWith(".gz") ? gunzipSync(bytes) : bytes;
    });
  return Buffer.concat(contents).toString("latin1");
}

describe.each(KINDS)("secrets in saves, with $kind", ({ at }) => {
  it("are reported by rule and place, and saved unchanged by default", () =>
    at(async (place) => {
      await using workrail = await opened(place);
      const saved = await workrail.saveCheckpoint({ sessionId: "s", context: CONTEXT, metadata: METADATA });
      expect(saved).toMatchObject({ status: "SAVED", secrets: { action: "warned", count: 6, advice: expect.stringContaining("encrypt") } });
      expect(saved.secrets?.found.map(({ path }) => path)).toEqual(PLACES);
      expect(JSON.stringify(saved)).not.toContain(TOKEN);
      expect(JSON.stringify(saved)).not.toContain(PASSWORD);
      const { context, metadata } = await workrail.loadCheckpoint({ sessionId: "s" });
      expect(JSON.stringify(context)).toBe(JSON.stringify(CONTEXT));
      expect(metadata).toMatchObject(METADATA);
      const again = await workrail.saveCheckpoint({ sessionId: "s", context: CONTEXT, metadata: METADATA });
      expect(again).toMatchObject({ status: "SKIPPED_UNCHANGED", secrets: saved.secrets });
    }));

  it("are not reported when absent, nor detected when detection is off", () =>
    at(async (place) => {
      await using workrail = await opened(place);
      expect(await workrail.saveCheckpoint({ sessionId: "s", context: { goal: "deploy" } })).not.toHaveProperty("secrets");
      await workrail.close();
      await using other = await opened(place, "off");
      expect(await other.saveCheckpoint({ sessionId: "s", context: CONTEXT, metadata: METADATA })).not.toHaveProperty("secrets");
    }));

  it("are replaced when configured, equal ones by equal placeholders", () =>
    at(async (place) => {
      await using workrail = await opened(place, "redact");
      const saved = await workrail.saveCheckpoint({ sessionId: "s", context: CONTEXT, metadata: METADATA });
      expect(saved.secrets).toMatchObject({ action: "redacted", count: 6, found: PLACES.map((path) => ({ path })) });
      const { context, metadata } = await workrail.loadCheckpoint({ sessionId: "s" });
      const { GITHUB_TOKEN: token } = context["env"] as { GITHUB_TOKEN: string };
      const { password } = context["database"] as { password: string };
      expect(token).toMatch(/^\[TOKEN_[0-9a-f]{8}\]$/u);
      expect(password).toMatch(/^\[PASSWORD_[0-9a-f]{8}\]$/u);
      const expected = {
        ...CONTEXT,
        env: { GITHUB_TOKEN: token },
        steps: [`git clone https://me:${token}@github.com/a/b`],
        database: { password },
      };
      expect(JSON.stringify(context)).toBe(JSON.stringify(expected));
      expect(metadata).toMatchObject({ name: `with ${token}`, tags: [token, "ci"], attributes: { ticket: { password } } });
      // Recognised as unchanged.
      const again = await workrail.saveCheckpoint({ sessionId: "s", context: CONTEXT, metadata: METADATA });
      expect(again).toMatchObject({ status: "SKIPPED_UNCHANGED", checkpointId: saved.checkpointId });
      expect(again).not.toHaveProperty("ignored");
      expect(await workrail.scanStore()).toMatchObject({ checkpoints: 1, found: [], isComplete: true });
    }));

  it("prevent a save when configured, and are not in the error", () =>
    at(async (place) => {
      await using workrail = await opened(place, "block");
      const refusal = await refusalOf(workrail.saveCheckpoint({ sessionId: "s", context: CONTEXT, metadata: METADATA }));
      expect(refusal).toMatchObject({
        code: "SECRET_FOUND",
        retryable: false,
        details: { count: 6, found: PLACES.map((path) => ({ path })) },
      });
      expect(`${refusal.stack}${JSON.stringify(refusal.details)}${refusal.hint}`).not.toMatch(new RegExp(`${TOKEN}|${PASSWORD}`, "u"));
      expect((await workrail.findCheckpoints({ sessionId: "s" })).total).toBe(0);
      await workrail.saveCheckpoint({ sessionId: "s", context: { goal: "deploy" } });
    }));

  it("are found later in stored sessions and in the trash", () =>
    at(async (place) => {
      await using workrail = await opened(place, "off");
      const ids: string[] = [];
      for (let step = 0; step < 5; step++) {
        const context = { ...CONTEXT, step, notes: step === 3 ? [TOKEN, TOKEN] : [] };
        ids.push((await workrail.saveCheckpoint({ sessionId: "s", context })).checkpointId);
      }
      await workrail.saveCheckpoint({ sessionId: "t", context: { goal: "clean" } });
      await workrail.cleanUp({ sessionId: "s", keepLast: 4 });
      const progress: number[] = [];
      const report = await workrail.scanStore({ onProgress: ({ done }) => progress.push(done) });
      expect(report).toMatchObject({ checkpoints: 6, unreadable: [], isComplete: true });
      expect(progress).toEqual([1, 2, 3, 4, 5, 6]);
      const of = (id?: string): readonly StoredSecret[] => report.found.filter(({ checkpointId }) => checkpointId === id);
      expect(of(ids[3]).map(({ path }) => path)).toEqual([
        ...PLACES.slice(3),
        'context["database"]["password"]',
        'context["notes"][0]',
        'context["notes"][1]',
      ]);
      expect(of(ids[0])).toHaveLength(3);
      expect(of(ids[0]).every(({ inTrash }) => inTrash === true)).toBe(true);
      expect(JSON.stringify(report)).not.toContain(TOKEN);
      await expect(workrail.scanStore({ sessionId: "tpyo" })).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
      await workrail.cleanUp({ sessionId: "t" });
      expect(await workrail.scanStore({ sessionId: "t" })).toMatchObject({ checkpoints: 1, found: [] });
      const signal = { aborted: false };
      const first = await workrail.scanStore({ sessionId: "s", signal, onProgress: () => (signal.aborted = true) });
      expect(first).toMatchObject({ checkpoints: 1, isComplete: false });
    }));

  it("are detected in imports, which are then refused, reported or redacted", () =>
    at(async (place) => {
      await using workrail = await opened(place, "off");
      await workrail.saveCheckpoint({ sessionId: "s", context: CONTEXT, metadata: METADATA });
      const pieces: string[] = [];
      for await (const piece of workrail.exportText("s")) pieces.push(piece);
      await workrail.close();
      await onDisk(async (other) => {
        mkdirSync(other.dataDir, { recursive: true });
        const file = path.join(path.dirname(other.dataDir), "export.json");
        writeFileSync(file, pieces.join(""));
        await using blocking = await opened(other, "block");
        expect(await refusalOf(blocking.importFile(file))).toMatchObject({ code: "SECRET_FOUND", details: { count: 6 } });
        expect((await blocking.findCheckpoints()).total).toBe(0);
        await blocking.close();
        await using redacting = await opened(other, "redact");
        const imported = await redacting.importFile(file);
        expect(imported).toMatchObject({ added: 1, secrets: { action: "redacted", count: 6, checkpoints: 1 } });
        expect(await redacting.importFile(file)).toMatchObject({ added: 0, present: 1 });
        expect((await redacting.verifyStore()).findings).toEqual([]);
        expect(await redacting.scanStore()).toMatchObject({ found: [] });
        await redacting.close();
        expect(everythingIn(other.dataDir)).not.toMatch(new RegExp(`${TOKEN}|${PASSWORD}`, "u"));
        await using warning = await opened(other, "warn");
        expect(await warning.importFile(file, { onConflict: "rename", dryRun: true })).toMatchObject({
          secrets: { action: "warned", count: 6 },
        });
      });
    }));
});

describe("a store with redaction of secrets", () => {
  it("contains none in any file or log, and uses the same placeholders after a restart and in every process", () =>
    onDisk(async (place) => {
      const lines: string[] = [];
      const write = (message: string, fields?: object): void => void lines.push(message + JSON.stringify(fields));
      const log = { debug: write, info: write, warn: write, error: write };
      const save = async (sessionId: string): Promise<unknown> => {
        await using workrail = await place.open({ env: { WORKRAIL_SECRETS: "redact" }, adapters: { log } });
        await workrail.saveCheckpoint({ sessionId, context: CONTEXT, metadata: METADATA, agentId: `agent ${TOKEN}` });
        await workrail.compressContext({ sessionId, context: { ...CONTEXT, more: TOKEN } });
        return (await workrail.loadCheckpoint({ sessionId })).context;
      };
      expect(await save("one")).toEqual(await save("two"));
      expect(everythingIn(place.dataDir)).not.toMatch(new RegExp(`${TOKEN}|${PASSWORD}`, "u"));
      expect(lines.join("\n")).not.toMatch(new RegExp(`${TOKEN}|${PASSWORD}`, "u"));
      expect(readFileSync(path.join(place.dataDir, "redaction.key"), "utf8")).toMatch(/^[0-9a-f]{64}\n$/u);
    }));

  it("uses other placeholders than another store", () =>
    onDisk((one) =>
      onDisk(async (other) => {
        const saved = async (place: Place): Promise<unknown> => {
          await using workrail = await opened(place, "redact");
          await workrail.saveCheckpoint({ sessionId: "s", context: CONTEXT });
          return (await workrail.loadCheckpoint({ sessionId: "s" })).context["env"];
        };
        expect(await saved(one)).not.toEqual(await saved(other));
      }),
    ));

  it("works when the key cannot be stored, and warns", () =>
    onDisk(async (place) => {
      const warnings: string[] = [];
      const log = { debug: () => {}, info: () => {}, warn: (message: string) => void warnings.push(message), error: () => {} };
      mkdirSync(path.join(place.dataDir, "redaction.key"), { recursive: true });
      await using workrail = await place.open({ env: { WORKRAIL_SECRETS: "redact" }, adapters: { log } });
      await workrail.saveCheckpoint({ sessionId: "s", context: CONTEXT });
      expect(warnings).toContainEqual(expect.stringContaining("placeholders"));
    }));
});

describe("an unsaved context that is shortened", () => {
  it("returns the findings of its original, and is shortened even when the original may not be stored", () =>
    onDisk(async (place) => {
      await using warning = await opened(place);
      const told = await warning.compressContext({ sessionId: "s", context: CONTEXT });
      expect(told).toMatchObject({ checkpointId: expect.any(String), secrets: { action: "warned", count: 3 } });
      await warning.close();
      await using blocking = await opened(place, "block");
      const blocked = await blocking.compressContext({ sessionId: "t", context: CONTEXT });
      expect(blocked).toMatchObject({ context: CONTEXT, notKept: expect.stringContaining("contains a possible secret") });
      expect(blocked).not.toHaveProperty("checkpointId");
      expect(blocked.notKept).not.toContain(TOKEN);
    }));
});

describe("a conversation", () => {
  const conversation = [{ role: "user", content: `Deploy with ${TOKEN}` }];

  it("is stored without its secrets, in the store and in the file for people, under a name without them", () =>
    onDisk(async (place) => {
      const project = path.join(path.dirname(place.dataDir), "project");
      mkdirSync(project);
      await using workrail = await place.open({ project, env: { WORKRAIL_SECRETS: "redact", WORKRAIL_PROJECT: project } });
      const { file, warning, checkpointId } = await workrail.storeConversation({ conversation, topic: `with ${TOKEN}` });
      expect(warning).toContain('github-token at context["conversation"][0]["content"]');
      expect(file + readFileSync(file, "utf8")).not.toContain(TOKEN);
      expect(readFileSync(file, "utf8")).toMatch(/Deploy with .*TOKEN_[0-9a-f]{8}/u);
      expect(JSON.stringify(await workrail.loadCheckpoint({ checkpointId: String(checkpointId) }))).not.toContain(TOKEN);
    }));

  it("is saved as it is when the call opts out, whatever the setting", () =>
    onDisk(async (place) => {
      await using workrail = await place.open({ settings: { secrets: "redact" } });
      const { checkpointId, secrets } = await workrail.saveCheckpoint({ sessionId: "s", context: CONTEXT, secrets: "off" });
      expect(secrets).toBeUndefined();
      expect((await workrail.loadCheckpoint({ checkpointId })).context).toEqual(CONTEXT);
      await expect(workrail.saveCheckpoint({ sessionId: "s", context: CONTEXT, secrets: "on" as "off" })).rejects.toMatchObject({
        code: "INVALID_INPUT",
        details: { field: "secrets" },
      });
    }));

  it("is reported, and stored nowhere when secrets may not be saved", () =>
    onDisk(async (place) => {
      const project = path.join(path.dirname(place.dataDir), "project");
      mkdirSync(project);
      await using blocking = await place.open({ project, env: { WORKRAIL_SECRETS: "block", WORKRAIL_PROJECT: project } });
      expect(await refusalOf(blocking.storeConversation({ conversation }))).toMatchObject({ code: "SECRET_FOUND" });
      expect(readdirSync(project)).toEqual([]);
      await blocking.close();
      await using warning = await place.open({ project, env: { WORKRAIL_PROJECT: project } });
      const kept = await warning.storeConversation({ conversation });
      expect(kept.warning).toContain("unencrypted in the file and in the store: github-token");
      expect(kept.warning).not.toContain(TOKEN);
      expect(readFileSync(kept.file, "utf8")).toContain(TOKEN);
    }));
});

describe("a note on a project", () => {
  it("is reported, and saved with placeholders or refused like any other", () =>
    onDisk(async (place) => {
      const note = { summary: `rotated ${TOKEN}`, projectPath: path.dirname(place.dataDir) };
      await using warning = await opened(place);
      expect(await warning.projectCheckpoints.create(note)).toMatchObject({ secrets: { action: "warned", count: 2 } });
      await warning.close();
      await using redacting = await opened(place, "redact");
      const { id } = await redacting.projectCheckpoints.create(note);
      expect(JSON.stringify(await redacting.projectCheckpoints.getById(id))).not.toContain(TOKEN);
      await redacting.close();
      await using blocking = await opened(place, "block");
      expect(await refusalOf(blocking.projectCheckpoints.create(note))).toMatchObject({ code: "SECRET_FOUND" });
    }));
});

describe("the settings for secrets", () => {
  it("except rules, and add personal data", () =>
    onDisk(async (place) => {
      const env = {
        WORKRAIL_SECRETS: "block",
        WORKRAIL_SECRETS_EXCEPT: "password, github-token,url-password",
        WORKRAIL_SECRETS_PERSONAL_DATA: "true",
      };
      await using workrail = await place.open({ env });
      await workrail.saveCheckpoint({ sessionId: "s", context: { password: PASSWORD } });
      const refusal = await refusalOf(
        workrail.saveCheckpoint({ sessionId: "s", context: { to: ["GB82WEST12345698765432"], card: 4012888888881881 } }),
      );
      expect(refusal.details["found"]).toEqual([
        { rule: "iban", path: 'context["to"][0]' },
        { rule: "payment-card", path: 'context["card"]' },
      ]);
      await workrail.close();
      expect(await refusalOf(place.open({ env: { WORKRAIL_SECRETS_EXCEPT: "none-such" } }))).toMatchObject({ code: "INVALID_INPUT" });
    }));

  it("replace a secret number as a whole", () =>
    onDisk(async (place) => {
      await using workrail = await place.open({ env: { WORKRAIL_SECRETS: "redact", WORKRAIL_SECRETS_PERSONAL_DATA: "1" } });
      await workrail.saveCheckpoint({ sessionId: "s", context: { cards: [4012888888881881, 7] } });
      expect((await workrail.loadCheckpoint({ sessionId: "s" })).context).toEqual({ cards: [expect.stringMatching(/^\[CARD_/u), 7] });
    }));
});

describe("a context of many megabytes", () => {
  it("is scanned in turns, secrets anywhere in it are reported and replaced, and digests verify", () =>
    onDisk(async (place) => {
      const filler = "lines of a log that say little, again and again. ".repeat(20_000);
      const context = {
        a: filler,
        password: PASSWORD,
        parts: Array.from({ length: 7 }, (_, index) => `${filler}${index === 6 ? TOKEN : ""}`),
      };
      await using workrail = await opened(place, "redact");
      let [turns, isDone] = [0, false];
      const count = (): void => {
        turns += 1;
        if (!isDone) setImmediate(count);
      };
      setImmediate(count);
      const { secrets } = await workrail.saveCheckpoint({ sessionId: "s", context });
      isDone = true;
      expect(turns).toBeGreaterThan(6);
      expect(secrets?.found.map(({ path }) => path)).toEqual(['context["password"]', 'context["parts"][6]']);
      const { context: loaded } = await workrail.loadCheckpoint({ sessionId: "s" });
      expect(String((loaded["parts"] as string[])[6]).slice(filler.length)).toMatch(/^\[TOKEN_[0-9a-f]{8}\]$/u);
      expect((await workrail.verifyStore()).findings).toEqual([]);
      expect(await workrail.scanStore()).toMatchObject({ found: [] });
    }));
});

it("a scan finds more secrets in one context than a function takes arguments", () =>
  onDisk(async (place) => {
    await using workrail = await opened(place, "off");
    const tokens = Array.from({ length: 150_000 }, (_, index) => `${TOKEN.slice(0, -6)}${index + 100_000}`);
    await workrail.saveCheckpoint({ sessionId: "s", context: { tokens } });
    // A few end like examples.
    expect((await workrail.scanStore()).found.length).toBeGreaterThan(149_000);
  }));

describe("personal data in saves", () => {
  const personal = {
    card: 4012888888881881,
    account: "DE89 3704 0044 0532 0130 00",
    diff: "+SSN 536-90-4399\n-111.444.777-35",
    mail: "jo.doe@acme-shop.co.uk",
  };
  const saved = (env: Readonly<Record<string, string>>) =>
    KINDS[0]?.at(async (place) => {
      await using workrail = await place.open({ env });
      const { secrets } = await workrail.saveCheckpoint({ sessionId: "s", context: personal });
      const { context } = await workrail.loadCheckpoint({ sessionId: "s" });
      return { rules: secrets?.found.map(({ rule }) => rule), context };
    });

  it.each([
    [undefined, ["payment-card", "iban", "us-ssn", "national-id"]],
    ["identifiers", ["payment-card", "iban", "us-ssn", "national-id"]],
    ["all", ["payment-card", "iban", "us-ssn", "national-id", "email"]],
    ["true", ["payment-card", "iban", "us-ssn", "national-id", "email"]],
    ["off", undefined],
    ["false", undefined],
  ])("is reported as WORKRAIL_SECRETS_PERSONAL_DATA demands: %s", async (value, rules) => {
    const result = await saved(value === undefined ? {} : { WORKRAIL_SECRETS_PERSONAL_DATA: value });
    expect(result?.rules).toEqual(rules);
    expect(result?.context).toEqual(personal);
  });

  it("is replaced as the same setting demands, a number by a text", async () => {
    const result = await saved({ WORKRAIL_SECRETS: "redact" });
    expect(result?.context).toEqual({
      card: expect.stringMatching(/^\[CARD_[0-9a-f]{8}\]$/u),
      account: expect.stringMatching(/^\[IBAN_[0-9a-f]{8}\]$/u),
      diff: expect.stringMatching(/^\+SSN \[SSN_[0-9a-f]{8}\]\n-\[NATIONAL_ID_[0-9a-f]{8}\]$/u),
      mail: personal.mail,
    });
  });
});

it("the lines of a private key in a list count once, and each is replaced", () =>
  KINDS[0]?.at(async (place) => {
    const lines = [
      ["-----BEGIN RSA PRIV", "ATE KEY-----"].join(""),
      "MIIEowIBAAKCAQEA".repeat(4),
      "q7Zx0pLm2Rt9Kd4s".repeat(4),
      ["-----END RSA PRIV", "ATE KEY-----"].join(""),
    ];
    await using workrail = await opened(place, "redact");
    const { secrets } = await workrail.saveCheckpoint({ sessionId: "s", context: { key: lines, next: "stays" } });
    expect(secrets).toMatchObject({ action: "redacted", count: 1, found: [{ rule: "private-key", path: 'context["key"][0]' }] });
    const { context } = await workrail.loadCheckpoint({ sessionId: "s" });
    expect(context).toEqual({ key: lines.map(() => expect.stringMatching(/^\[PRIVATE_KEY_[0-9a-f]{8}\]$/u)), next: "stays" });
  }));

import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();

const SECRET = "planted-in-a-context";

/** Creates a key file, and the environment that names it. */
function aKey(name: string): { readonly file: string; readonly env: Record<string, string> } {
  const file = join(cli.folder, name);
  writeFileSync(file, randomBytes(32).toString("hex"), { mode: 0o600 });
  return { file, env: { WORKRAIL_ENCRYPTION_KEY_FILE: file } };
}

async function save(env: Record<string, string> = {}): Promise<string> {
  const { checkpointId } = await cli.json<{ checkpointId: string }>(["save", "--session", "s"], {
    env,
    input: JSON.stringify({ note: SECRET }),
  });
  return checkpointId;
}

function isInClear(): boolean {
  const files = readdirSync(cli.dataDir, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return files.some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(SECRET));
}

describe("workrail encrypt and rekey", () => {
  it("seal a store, replace its key, reseal it, and decrypt it again", async () => {
    const [one, two, three] = [aKey("one"), aKey("two"), aKey("three")];
    const id = await save();
    const load = (env: Record<string, string>) => cli.run(["load", id, "--json"], { env });

    const sealed = await cli.run(["encrypt"], { env: one.env });
    expect(sealed).toMatchObject({ code: 0, stdout: `${cli.dataDir}\n` });
    expect(sealed.stderr).toMatch(/^Sealed: 1\. The store is sealed\.\nWrite this recovery key down/u);
    const recoveryKey = /\n {2}([0-9A-Z-]{63})\n/u.exec(sealed.stderr)?.[1] ?? "";
    expect(isInClear()).toBe(false);
    expect((await load({ WORKRAIL_ENCRYPTION_RECOVERY_KEY: recoveryKey })).stdout).toContain(SECRET);

    const rekeyed = await cli.json<object>(["rekey", "--new-key-file", two.file], { env: one.env });
    expect(rekeyed).toEqual({ dataDir: cli.dataDir, recoveryKey: expect.any(String) as string });
    expect((await load(one.env)).code).toBe(12);
    expect((await load(two.env)).stdout).toContain(SECRET);

    const anew = await cli.json<{ recoveryKey: string }>(["rekey", "--deep", "--new-key-file", three.file], { env: two.env });
    expect(anew).toEqual({
      dataDir: cli.dataDir,
      blobs: 1,
      recoveryKey: expect.any(String) as string,
      removedCopies: [],
      stillInClear: [],
      underOldKey: [],
      unreadable: [],
    });
    for (const env of [one.env, two.env, { WORKRAIL_ENCRYPTION_RECOVERY_KEY: recoveryKey }]) expect((await load(env)).code).toBe(12);
    for (const env of [three.env, { WORKRAIL_ENCRYPTION_RECOVERY_KEY: anew.recoveryKey }])
      expect((await load(env)).stdout).toContain(SECRET);

    const off = await cli.run(["encrypt", "--off"], { env: three.env });
    expect(off).toMatchObject({ code: 0, stderr: "Unsealed: 1. The store is unencrypted.\n" });
    expect(existsSync(join(cli.dataDir, "contexts/keyring.json"))).toBe(false);
    expect((await load({})).stdout).toContain(SECRET);
  });

  it("name data that is still in clear, in the answer and in status and doctor", async () => {
    const { env } = aKey("key");
    await save();
    await cli.output(["export", "s"]);
    const { stillInClear } = await cli.json<{ stillInClear: string[] }>(["encrypt"], { env });
    expect(stillInClear).toEqual([expect.stringContaining("exports") as string]);
    const warnings = [expect.stringContaining(stillInClear[0] ?? "") as string];
    expect(await cli.json(["status"], { env })).toMatchObject({ warnings });
    expect((await cli.run(["doctor", "--json"], { env })).stdout).toContain(JSON.stringify(stillInClear[0]).slice(1, -1));
  });

  it("refuse a new key for a store in clear", async () => {
    await save();
    const { code, stderr } = await cli.run(["rekey", "--deep", "--new-key-file", aKey("key").file]);
    expect(code).toBe(2);
    expect(stderr).toContain("The store is not sealed, and has no key.");
  });
});

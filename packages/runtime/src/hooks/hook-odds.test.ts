import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { FIRST, SESSION, told, useHookScene } from "../../test/hook-scene.ts";
import { openWorkrail } from "../open-workrail.ts";
import { spawnSync } from "node:child_process";
import { restoreBackup } from "../restore-backup.ts";
import { importTranscripts } from "../host-import/import-transcripts.ts";
import { findTranscripts } from "@workrail/host-transcripts";
import type { HookPorts } from "./hook-call.ts";
import { hookPlaces } from "./hook-places.ts";
import { waitingFiles } from "./incoming-save.ts";

const scene = useHookScene();
const { transcript, data, incoming, allFiles, hook, minutes, open, next, conversationNow, converse } = scene;

const SID = `claude-code-${SESSION}`;
const load = async (sessionId = SID): Promise<object> => {
  const store = await open();
  try {
    return (await store.loadCheckpoint({ sessionId })).context;
  } finally {
    await store.close();
  }
};
/** Overwrites the first checkpoint of the store on disk. */
function damageCheckpoint(): void {
  const [blob] = allFiles().filter((file) => file.startsWith(path.join(data(), "contexts")) && fs.statSync(file).size > 300);
  fs.writeFileSync(blob ?? "", fs.readFileSync(blob ?? "").fill(7, 40));
}
const sealedEnv = (): void => void (scene.env["WORKRAIL_ENCRYPTION"] = "enabled");
const hidden = (...words: string[]): string[] =>
  allFiles()
    .filter((file) => path.relative(data(), file).startsWith("hooks") || path.relative(data(), file).startsWith("incoming"))
    .flatMap((file) =>
      words.filter((word) => fs.readFileSync(file, "utf8").includes(word)).map((word) => `${path.relative(data(), file)}: ${word}`),
    );

describe("entries of an agent with the keys of the hook's notes", () => {
  it("stay in the state after the next hook", async () => {
    const said = converse().prompt(FIRST);
    await hook("stop");
    const store = await open();
    await store.saveCheckpoint({
      sessionId: SID,
      patch: { set: { decisions: ["Sessions live in Redis, not in cookies."], nextSteps: ["Write the migration."] } },
    });
    await store.close();
    said.prompt("And logout.").reply("Done.");
    await hook("session-end");
    expect(JSON.stringify(await load())).toContain("Redis");
  });
});

describe("the mark of an erased session", () => {
  it("is not set when the trash with thinned-out checkpoints is emptied", async () => {
    const said = converse();
    scene.now = new Date(Date.now() - 3 * 86_400_000);
    for (let turn = 0; turn < 6; turn++) {
      said.prompt(`Step ${turn}: go on.`);
      minutes(11);
      await hook("stop");
    }
    const store = await open();
    await store.cleanUp();
    const trash = await store.listTrash();
    expect(trash.length).toBeGreaterThan(0);
    await store.emptyTrash();
    await store.close();
    scene.now = new Date();
    said.prompt("LATER WORDS").reply("ok");
    await hook("session-end");
    expect(incoming()).not.toEqual([]);
  });

  it("is not set when one old checkpoint of an active session is deleted", async () => {
    const said = converse().prompt(FIRST);
    await hook("stop");
    minutes(11);
    said.prompt("More.");
    await hook("stop");
    const store = await open();
    const { checkpoints } = await store.findCheckpoints({ sessionId: SID });
    await store.deleteCheckpoint({ checkpointId: checkpoints.at(-1)?.id ?? "" });
    await store.close();
    minutes(11);
    said.prompt("LATER WORDS");
    await hook("session-end");
    expect(incoming()).not.toEqual([]);
  });

  it("is not set when a clean-up removes old checkpoints", async () => {
    scene.now = new Date(Date.now() - 40 * 86_400_000);
    const said = converse().prompt(FIRST);
    await hook("stop");
    await (await open()).close();
    scene.now = new Date();
    said.prompt("More.");
    await hook("stop");
    const store = await open();
    await store.cleanUp({ keepLast: 1, permanently: true });
    await store.close();
    minutes(11);
    said.prompt("LATER WORDS");
    await hook("session-end");
    expect(incoming()).not.toEqual([]);
  });

  it("keeps a session erased when its hook is running", async () => {
    const said = converse().prompt("The customer is called Zanzibarski.");
    await hook("stop");
    await (await open()).close();
    said.prompt("Zanzibarski once more.");
    minutes(11);
    let calls = 0;
    const at = scene.now;
    const store = await open();
    await store.erase({ sessionId: SID });
    // The hook sees the marks only while it reads, as if `erase` ran then.
    const places = hookPlaces(data());
    const marks = fs.readdirSync(places.erased).map((name) => path.join(places.erased, name));
    for (const mark of marks) fs.rmSync(mark);
    await store.close();
    await hook(
      "session-end",
      {},
      {
        now: () => {
          if (++calls === 2) for (const mark of marks) fs.writeFileSync(mark, "");
          return at;
        },
      },
    );
    await (await open()).close();
    const after = await open();
    const { total } = await after.findCheckpoints({ sessionId: SID });
    await after.close();
    expect(total).toBe(0);
  });

  it("is set for a session without hook state", async () => {
    converse().prompt("The customer is called Zanzibarski.").fail("1", "npm test", "no");
    await hook("session-end");
    await (await open()).close();
    fs.rmSync(hookPlaces(data()).sessions, { recursive: true }); // as `removeNotes` does once the store is sealed
    const store = await open();
    await store.erase({ sessionId: SID });
    await store.close();
    const text = told(await hook("session-start", next()));
    expect(
      text +
        incoming()
          .map((file) => fs.readFileSync(file, "utf8"))
          .join(""),
    ).not.toContain("Zanzibarski");
  });

  it("is removed by an import of the session", async () => {
    const said = converse().prompt(FIRST).fail("1", "npm test", "no");
    await hook("session-end");
    const store = await open();
    await store.erase({ sessionId: SID });
    const transcripts = await findTranscripts("claude-code", {
      home: path.join(scene.root, "home"),
      env: {},
      limit: 10,
      near: transcript(),
    });
    const outcomes = [];
    for await (const each of importTranscripts(store, { transcripts, sources: { env: scene.env } })) outcomes.push(each);
    await store.close();
    const isBack = outcomes.some(({ status }) => status === "imported");
    minutes(30);
    said.prompt("LATER WORDS");
    await hook("session-end");
    expect({ isBack, goesOn: incoming().length > 0 }).not.toEqual({ isBack: true, goesOn: false });
  });
});

describe("with a sealed store", () => {
  const acme = (): void => {
    fs.writeFileSync(path.join(scene.root, "project", ".git", "HEAD"), "ref: refs/heads/secret-merger\n");
    fs.writeFileSync(
      path.join(scene.root, "project", ".git", "config"),
      '[remote "origin"]\n\turl = https://example.com/acme/takeover.git\n',
    );
  };
  it("the second turn, not saved yet, writes no plaintext", async () => {
    acme();
    sealedEnv();
    const said = converse().prompt(FIRST).fail("1", "npm test", "no");
    await hook("stop");
    said.prompt("More.");
    await hook("stop");
    expect(hidden("secret-merger", "takeover", scene.project, SESSION)).toEqual([]);
  });
  it("a session that continues an earlier one writes no plaintext", async () => {
    acme();
    sealedEnv();
    converse().prompt(FIRST).fail("1", "npm test", "no");
    await hook("session-start", next());
    expect(hidden("secret-merger", "takeover", scene.project, SESSION)).toEqual([]);
  });
  it("saves refused before sealing do not stay as plaintext", async () => {
    converse().prompt(`Make the login redirect work. ${"x".repeat(60_000)}`);
    await hook("session-end");
    await (await openWorkrail({ dataDir: data(), env: { WORKRAIL_MAX_CONTEXT_BYTES: "500" }, project: scene.project })).close();
    expect(fs.readdirSync(hookPlaces(data()).refused).length).toBeGreaterThan(0);
    sealedEnv();
    await hook("session-start", next({ session_id: "third", transcript_path: path.join(scene.root, "none", "o.jsonl") }));
    await hook("session-start", next({ session_id: "fourth", transcript_path: path.join(scene.root, "none", "o.jsonl") }));
    expect(hidden("login redirect")).toEqual([]);
  });
  it("two killed sessions are both saved by the second start", async () => {
    sealedEnv();
    const saved = new Set<string>();
    const saveNow: HookPorts["saveNow"] = async (saves) => saves.forEach(({ sessionId }) => saved.add(sessionId));
    converse().prompt(FIRST).fail("1", "npm test", "no");
    const second = "8b1d1f6c-34b8-450e-82e8-700ac148aa5f";
    converse(second).prompt("Other work.").fail("1", "npm test", "no");
    for (let start = 0; start < 3; start++) await hook("session-start", next(), { saveNow });
    expect([...saved].filter((id) => !id.includes("conversation")).length).toBe(2);
  });
});

describe("a killed session that was forked from an earlier one", () => {
  it("is saved once, under its own id", async () => {
    const forked = "8b1d1f6c-34b8-450e-82e8-700ac148aa5f";
    converse().prompt(FIRST).fail("1", "npm test", "no");
    fs.copyFileSync(transcript(), transcript(forked));
    converse(forked).prompt("Other work.").fail("2", "npm test", "no");
    for (let start = 0; start < 3; start++) await hook("session-start", next());
    expect(incoming()).toHaveLength(4);
    await (await open()).close();
    expect(JSON.stringify(await load())).not.toContain("Other work.");
    expect(JSON.stringify(await load(`claude-code-${forked}`))).toContain("Other work.");
  });
});

describe("a save that the store always refuses", () => {
  it("is retried once, not at each start", async () => {
    scene.now = new Date();
    converse()
      .prompt(`FIRST WORDS ${"x ".repeat(30_000)}`)
      .reply("I look.")
      .fail("1", "npm test", "no");
    await hook("session-end");
    const small = async (): Promise<void> =>
      (await openWorkrail({ dataDir: data(), env: { WORKRAIL_MAX_CONTEXT_BYTES: "20000" }, project: scene.project })).close();
    const counts: number[] = [];
    for (let start = 0; start < 5; start++) {
      await small();
      counts.push(waitingFiles(hookPlaces(data()).refused).length);
      minutes(11);
      await hook("session-start", next({ session_id: `other-${start}` }));
    }
    expect(counts).toEqual([1, 2, 2, 2, 2]);
  });
});

describe("other files among the incoming saves", () => {
  it("a folder with the name of a save does not block others", async () => {
    fs.mkdirSync(path.join(hookPlaces(data()).incoming, `${"1".padStart(15, "0")}-x.json`), { recursive: true });
    converse().prompt(FIRST);
    await hook("stop");
    await (await open()).close();
    expect(incoming().filter((file) => fs.statSync(file).isFile())).toEqual([]);
  });
  it("a pipe with the name of a save does not stop the process that opens the store", () => {
    const { incoming: waiting } = hookPlaces(data());
    fs.mkdirSync(waiting, { recursive: true });
    spawnSync("mkfifo", [path.join(waiting, `${"1".padStart(15, "0")}-x.json`)]);
    const script = `import { openWorkrail } from ${JSON.stringify(path.resolve("packages/runtime/src/open-workrail.ts"))}; const s = await openWorkrail({ dataDir: ${JSON.stringify(data())}, env: {} }); await s.close(); console.log("done");`;
    const { stdout, stderr, signal } = spawnSync(process.execPath, ["--conditions=@workrail/source", "--input-type=module", "-e", script], {
      encoding: "utf8",
      timeout: 8_000,
      killSignal: "SIGKILL",
    });
    expect({ stdout, stderr, signal }).toMatchObject({ stdout: "done\n", signal: null });
  }, 20_000);
  it("an unreadable folder of incoming saves does not block the store", async () => {
    await (await open()).close();
    fs.symlinkSync("incoming", hookPlaces(data()).incoming); // ELOOP; EACCES after a hook that ran as root
    const store = await open();
    await expect(store.takeIncoming()).resolves.toBe(0);
    await store.close();
  });
});

describe("the session that the pack shows", () => {
  const many = (count: number): string[] => {
    const start = scene.now;
    const ids = Array.from({ length: count }, (_, at) => `${String(at).padStart(8, "0")}-34b8-450e-82e8-700ac148aa5f`);
    ids.forEach((id, at) => {
      scene.now = new Date(start.getTime() - (count - at) * 3_600_000);
      converse(id).prompt(`Work number ${at}. Go on.`).fail("1", "npm test", "no");
      fs.utimesSync(transcript(id), scene.now, scene.now);
    });
    scene.now = start;
    return ids;
  };
  it("is the latest, at the second start after Workrail was set up", async () => {
    many(12);
    const first = told(await hook("session-start", next()));
    const second = told(await hook("session-start", next({ session_id: "another" })));
    expect([first, second].map((text) => /Work number \d+/u.exec(text)?.[0])).toEqual(["Work number 11", "Work number 11"]);
  });
  it("is the latest when conversations are not stored", async () => {
    scene.env["WORKRAIL_HOOK_CONVERSATION"] = "false";
    const ids = many(12);
    for (const id of ids) await hook("session-end", { session_id: id, transcript_path: transcript(id) });
    const outputs = [];
    for (let start = 0; start < 2; start++)
      outputs.push(/Work number \d+/u.exec(told(await hook("session-start", next({ session_id: `n${start}` }))))?.[0]);
    expect(outputs).toEqual(["Work number 11", "Work number 11"]);
  });
  it("is found after a remote is added to the repository", async () => {
    converse().prompt(FIRST).fail("1", "npm test", "no");
    await hook("session-end");
    fs.writeFileSync(path.join(scene.root, "project", ".git", "config"), '[remote "origin"]\n\turl = https://example.com/acme/new.git\n');
    expect(told(await hook("session-start", next()))).toContain("login redirect");
  });
});

describe("a save over `maxCheckpointBytes`", () => {
  it("does not stay in the queue", async () => {
    const said = converse().prompt("Go.");
    for (let at = 0; at < 5; at++) said.run(`c${at}`, `cat part-${at}`, "abcdefgh".repeat(2_000));
    await hook("session-end");
    const store = await openWorkrail({
      dataDir: data(),
      env: { WORKRAIL_MAX_CHECKPOINT_BYTES: "600" },
      project: scene.project,
    });
    await store.close();
    // It can never be saved: in the queue it would count towards the limit of 64 MB, and be tried at each call.
    expect(incoming()).toEqual([]);
  });
});

describe("concurrent and repeated saves", () => {
  it("are saved once by stores opened at the same time, and none is refused", async () => {
    await (await open()).close();
    const said = converse();
    for (let turn = 0; turn < 12; turn++) {
      said.prompt(`Turn ${turn}`).reply(`Answer ${turn}`);
      minutes(11);
      await hook(turn % 2 === 0 ? "pre-compact" : "stop");
    }
    const stores = await Promise.all([open(), open(), open(), open()]);
    const { total } = await stores[0].findCheckpoints({ sessionId: SID });
    const refused = fs.existsSync(hookPlaces(data()).refused) ? fs.readdirSync(hookPlaces(data()).refused) : [];
    await Promise.all(stores.map((store) => store.close()));
    expect({ total, refused, left: incoming().length }).toEqual({ total: 12, refused: [], left: 0 });
    const talk = await conversationNow();
    for (let turn = 0; turn < 11; turn++) expect(talk.match(new RegExp(`Answer ${turn}"`, "gu"))).toHaveLength(1);
  });

  it("leave no file in the queue, not even a broken one", async () => {
    const store = await open();
    const { incoming: waiting } = hookPlaces(data());
    fs.mkdirSync(waiting, { recursive: true });
    for (let at = 1; at < 4; at++) fs.writeFileSync(path.join(waiting, `${String(at).padStart(15, "0")}-x${at}.json`), "{}");
    converse().prompt(FIRST);
    await hook("session-end");
    await Promise.all([store.takeIncoming(), store.takeIncoming(), store.takeIncoming()]);
    await store.close();
    expect(incoming()).toEqual([]);
  });

  it("with a secret are saved once to a sealed store, whichever process reads them", () => {
    const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    converse().prompt(`Use ${token} for the login.`).reply("Yes.").fail("1", "npm test", "no");
    const src = path.resolve("packages/runtime/src");
    const script = `
      import { runHook } from ${JSON.stringify(path.join(src, "hooks/run-hook.ts"))};
      import { openWorkrail } from ${JSON.stringify(path.join(src, "open-workrail.ts"))};
      const env = { WORKRAIL_DATA_DIR: ${JSON.stringify(data())}, WORKRAIL_ENCRYPTION: "enabled", WORKRAIL_ENCRYPTION_KEY: "ab".repeat(32) };
      const open = () => openWorkrail({ env, project: ${JSON.stringify(scene.project)}, upkeep: false });
      const input = JSON.stringify(${JSON.stringify({ session_id: "other", transcript_path: transcript("other"), cwd: scene.project, source: "startup", hook_event_name: "SessionStart" })});
      const { error } = await runHook("session-start", { host: "claude-code", input }, { env, home: ${JSON.stringify(path.join(scene.root, "home"))}, now: () => new Date("2026-01-02T10:00:00Z"), msLeft: () => 5000, saveNow: async (saves) => { const s = await open(); await s.takeIncoming(saves); await s.close(); } });
      if (error) console.error(error);
      const s = await open();
      console.log((await s.findCheckpoints({ sessionId: ${JSON.stringify(SID)} })).total + " " + (await s.findCheckpoints({ sessionId: ${JSON.stringify(`${SID}-conversation`)} })).total);
      await s.close();`;
    const totals = [1, 2].map(() => {
      const { stdout, stderr } = spawnSync(process.execPath, ["--conditions=@workrail/source", "--input-type=module", "-e", script], {
        encoding: "utf8",
      });
      return stdout.trim() || stderr;
    });
    expect(totals).toEqual(["1 1", "1 1"]);
  }, 60_000);

  it("are saved again from the transcript when a restored backup lacks them", async () => {
    const store = await open();
    await store.saveCheckpoint({ sessionId: "s", context: { a: 1 } });
    await store.backup(path.join(scene.root, "backup"));
    await store.close();
    converse().prompt(FIRST).fail("1", "npm test", "no");
    await hook("session-end");
    await (await open()).close();
    await restoreBackup(path.join(scene.root, "backup"), { dataDir: data(), env: {}, replace: true });
    const text = told(await hook("session-start", next()));
    const after = await open();
    const { total } = await after.findCheckpoints({ sessionId: SID });
    await after.close();
    // The pack refers to `workflow_resume` with this session.
    expect({ isNamed: text.includes(SID), total }).toEqual({ isNamed: true, total: 1 });
  });

  it("are saved although the previous checkpoint is damaged", async () => {
    const said = converse().prompt(FIRST);
    await hook("stop");
    await (await open()).close();
    damageCheckpoint();
    minutes(11);
    said.prompt("LATER WORDS");
    await hook("session-end");
    await (await open()).close();
    const refused = fs.existsSync(hookPlaces(data()).refused)
      ? fs
          .readdirSync(hookPlaces(data()).refused)
          .filter((name) => name.endsWith(".reason"))
          .map((name) => fs.readFileSync(path.join(hookPlaces(data()).refused, name), "utf8"))
      : [];
    expect(refused).toEqual([]);
  });
});

describe("an erasure with a folder among the refused saves", () => {
  it("succeeds", async () => {
    converse().prompt(FIRST);
    await hook("stop");
    const store = await open();
    fs.mkdirSync(path.join(hookPlaces(data()).refused, `${"1".padStart(15, "0")}-x.json`), { recursive: true });
    await expect(store.erase({ sessionId: SID })).resolves.toMatchObject({});
    await store.close();
  });
});

describe("a long transcript", () => {
  it("gives a pack at the next start although it is longer than one portion", async () => {
    const said = converse().prompt(FIRST);
    for (let at = 0; at < 24; at++) said.run(`c${at}`, `cat part-${at}`, "word ".repeat(100_000));
    said.reply("LAST WORDS: still to do: the logout.");
    expect(fs.statSync(transcript()).size).toBeGreaterThan(10_000_000);
    const text = told(await hook("session-start", next(), { msLeft: () => 60_000 }));
    expect(text).toContain("login redirect");
  }, 60_000);

  it("does not hide the complete pack of shorter work", async () => {
    const short = "8b1d1f6c-34b8-450e-82e8-700ac148aa5f";
    converse(short).prompt("The short work. Go on.").fail("1", "npm test", "no");
    await hook("session-end", { session_id: short, transcript_path: transcript(short) });
    minutes(1);
    const said = converse().prompt(FIRST);
    for (let at = 0; at < 24; at++) said.run(`c${at}`, `cat part-${at}`, "word ".repeat(100_000));
    let starts = 0;
    for (; starts < 6; starts++)
      if (told(await hook("session-start", next({ session_id: `s${starts}` }), { msLeft: () => 60_000 })) !== "") break;
    expect(starts).toBe(0);
  }, 60_000);
});

describe("further cases", () => {
  it("later saves of a session with a damaged checkpoint are saved", async () => {
    const said = converse().prompt(FIRST);
    await hook("stop");
    await (await open()).close();
    damageCheckpoint();
    for (let turn = 0; turn < 4; turn++) {
      minutes(11);
      said.prompt(`LATER WORDS ${turn}`);
      await hook("stop");
      await (await open()).close();
    }
    const store = await open();
    const { total } = await store.findCheckpoints({ sessionId: SID });
    await store.close();
    expect(total).toBe(5);
  });

  it("work is still saved after its conversation is erased", async () => {
    const said = converse().prompt(FIRST);
    await hook("session-end");
    const store = await open();
    await store.erase({ sessionId: `${SID}-conversation` });
    await store.close();
    minutes(11);
    said.prompt("LATER WORDS");
    await hook("stop");
    expect(incoming()).not.toEqual([]);
  });

  it("a session can save although another one fills the queue", async () => {
    const { incoming: waiting } = hookPlaces(data());
    fs.mkdirSync(waiting, { recursive: true });
    const big = path.join(waiting, `${"1".padStart(15, "0")}-x.json`);
    const at = {
      format: "workrail-incoming",
      version: 1,
      checkpointId: "7b1d1f6c-34b8-450e-82e8-700ac148aa50",
      sessionId: "big",
      createdAt: "2026-01-02T10:00:00Z",
      kind: "workflow",
      attributes: {},
      tags: [],
      agentId: "a",
    };
    const noise = Array.from({ length: 2000 }, () => Math.random().toString(36)).join("");
    fs.writeFileSync(big, JSON.stringify({ ...at, context: { noise } }) + " ".repeat(63 * 1024 * 1024));
    fs.writeFileSync(big.replace("-x.", "-y."), JSON.stringify({ ...at, context: { noise } }) + " ".repeat(2 * 1024 * 1024));
    const limited = await openWorkrail({
      dataDir: data(),
      env: { WORKRAIL_MAX_CHECKPOINT_BYTES: "2000" },
      project: scene.project,
    });
    await limited.close();
    converse().prompt(FIRST);
    await hook("stop");
    expect(incoming().some((file) => fs.readFileSync(file, "utf8").includes("login redirect"))).toBe(true);
  });
});

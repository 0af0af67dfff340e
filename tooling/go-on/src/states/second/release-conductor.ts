import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

/** The board of an orchestrator that releases a desktop client with five sub-agents; it stopped with the Linux rebuild running and signing repaired. */

interface AgentMessage {
  readonly role: "orchestrator" | "agent" | "tool";
  readonly body: string;
  readonly t: string;
}

interface SubAgent {
  readonly task: string;
  readonly status: "done" | "running" | "waiting" | "failed" | "idle";
  readonly attempts: number;
  readonly result: unknown;
  readonly messages: readonly AgentMessage[];
}

function m(role: AgentMessage["role"], t: string, body: string): AgentMessage {
  return { role, body, t };
}

const compile = (seed: number, count: number, target: string): string =>
  many(
    seed,
    count,
    (i, pick, whole) =>
      `[${String(1 + i * 9).padStart(4, " ")}/2210] ${pick(["CXX", "CXX", "CXX", "LINK", "MOC", "RCC", "COPY"])} ${target}/${pick(["core", "sync", "ui", "crypto", "ipc", "vendor/zstd", "crashd"])}/${pick(["queue", "session", "tree_model", "delta", "watcher", "panel", "blob"])}_${whole(60)}.o${whole(14) === 0 ? `  warning: ${pick(["unused variable 'rc'", "deprecated: QVariant::type", "comparison of integer expressions of different signedness"])}` : ""}`,
  ).join("\n");

const smoke = (seed: number, count: number, os: string): string =>
  many(
    seed,
    count,
    (_, pick, whole) =>
      `${pick(["PASS", "PASS", "PASS", "PASS", "SKIP"])} ${os} ${pick(["install", "upgrade from 5.11.3", "login", "sync 10k files", "pause/resume", "proxy", "uninstall", "deep link"])} #${whole(300)} ${(whole(400) / 10).toFixed(1)}s`,
  ).join("\n");

const commits = many(
  503,
  85,
  (_, pick, whole) =>
    `${(whole(268435455) + 268435456).toString(16).slice(0, 7)} ${pick(["fix", "feat", "chore", "refactor", "i18n", "test"])}(${pick(["sync", "tray", "ipc", "crashd", "updater", "prefs"])}): ${pick(["retry on 503", "do not block UI thread", "bump zstd", "new strings", "share link dialog", "remove dead flag", "fix tab order", "limit watcher handles"])} (#${7000 + whole(900)})`,
).join("\n");

const artifacts = many(504, 36, (_, pick, whole) => ({
  name: `plover-5.12.0-rc${1 + whole(3)}-${pick(["win-x64.msi", "mac-universal.dmg", "linux-x64.AppImage", "linux-arm64.AppImage", "linux-x64.deb", "debug.sym.zip"])}`,
  size: 20_000_000 + whole(90_000_000),
  etag: whole(2147483647).toString(36),
  stale: whole(3) !== 0,
}));

export const state: WorkingState = {
  name: "release-conductor",
  language: "en",
  kind: "release engineering; orchestrator with sub-agents and their messages",
  focus: "continue the 5.12.0 release of the client",
  human:
    "Release Plover 5.12.0 (Windows, macOS, Linux) to the beta channel by Thursday 17:00 UTC. Never move or re-push tag v5.12.0-rc2, mirrors cached it: fixes get rc3. Stable channel forbidden until 48 h of beta without a P1. Good commit for rc3: 9d41f7e. 32-bit Windows build dropped (D4). Signer failed: notarytool said Invalid because helper plvr-crashd lacked the hardened runtime; repaired in 9d41f7e. Builder: linux-arm64 rebuild on the glibc 2.28 image running, job 88213. Next: when it is green, rerun smoke on linux-arm64 only, then ask Marit for sign-off in #rel-go. Todo: SBOM for the Windows msi missing. Rollout starts at 5 percent, 25 after a day. Latest: Marit wants the known issue PLV-2290 (proxy login loops) in the release notes.",
  questions: [
    { kind: "goal", q: "What is to be released where, by when?", answer: ["5\\.12\\.0", "beta channel by Thursday 17:00 UTC"] },
    {
      kind: "prohibition",
      q: "What must never be done with the rc2 tag?",
      answer: ["[Nn]ever (?:move|re-push)[\\s\\S]{0,40}?v5\\.12\\.0-rc2"],
    },
    { kind: "prohibition", q: "When is the stable channel forbidden?", answer: ["[Ss]table channel[\\s\\S]{0,30}?forbidden until 48 h"] },
    { kind: "next", q: "What is to run once the arm64 build is green?", answer: ["rerun smoke on linux-arm64"] },
    { kind: "next", q: "Who signs off, and where?", answer: ["Marit for sign-off in #rel-go"] },
    { kind: "todo", q: "Which file is missing for Windows?", answer: ["SBOM for the Windows msi"] },
    { kind: "decision", q: "What was decided on 32-bit Windows?", answer: ["32-bit Windows[\\s\\S]{0,20}?dropped"] },
    {
      kind: "error",
      q: "Why did notarisation fail?",
      answer: ["plvr-crashd[\\s\\S]{0,40}?hardened runtime|hardened runtime[\\s\\S]{0,60}?plvr-crashd"],
    },
    { kind: "fact", q: "Which commit is rc3 built from?", answer: ["9d41f7e"] },
    { kind: "recent", q: "What does Marit want in the release notes?", answer: ["PLV-2290"] },
  ],
  context: {
    run: { id: "rel-5.12.0", opened: "2025-10-13", phase: "rc3", previousPhases: ["freeze", "rc1", "rc2"], heartbeat: 20714 },
    orchestrator: {
      mission: "Release Plover 5.12.0 for Windows, macOS and Linux to the beta channel by Thursday 17:00 UTC.",
      policy: {
        concurrency: 3,
        retries: 2,
        tags: "Never move or re-push the tag v5.12.0-rc2, the mirrors have cached it. A fix gets a new rc number.",
        channels: "Stable channel is forbidden until 48 h of beta without a P1.",
        rollout: "5 percent, after a day 25, after three days all",
        shell: "bash -euo pipefail",
      },
      decisions: [
        { id: "D1", text: "freeze on the 13th", by: "Marit" },
        { id: "D2", text: "rc1 withdrawn, updater loops", by: "Marit" },
        { id: "D3", text: "32-bit Windows build: keep one more release", by: "Joss", supersededBy: "D4" },
        { id: "D4", text: "32-bit Windows build dropped: 0.4 percent of users, blocks the new zstd", by: "Marit" },
        { id: "D5", text: "rc3 from 9d41f7e, nothing else goes in", by: "Marit" },
      ],
      inbox: [
        { from: "Joss", t: "Tue 09:12", text: "can we have dark tray icons in 5.12? -> no, 5.13" },
        {
          from: "Marit",
          t: "Wed 16:40",
          text: "One more thing before I say go: the release notes need PLV-2290 as a known issue (login loops behind an authenticating proxy). Fix comes in 5.12.1.",
        },
      ],
    },
    agents: {
      builder: {
        task: "Build all targets of rc3",
        status: "running",
        attempts: 2,
        result: {
          "win-x64": "ok",
          "mac-universal": "ok",
          "linux-x64": "ok",
          "linux-arm64": "rebuild on the glibc 2.28 image, job 88213, started Wed 16:05",
        },
        messages: [
          m("orchestrator", "Tue 18:00", "Build rc2, five targets."),
          m("tool", "Tue 18:41", compile(505, 240, "win-x64")),
          m("agent", "Tue 18:42", "rc2 built, win-x86 skipped by D4."),
          m("orchestrator", "Wed 11:20", "Build rc3 from 9d41f7e, four targets."),
          m("tool", "Wed 12:30", compile(506, 320, "linux-arm64")),
          m(
            "agent",
            "Wed 12:34",
            "Four artifacts. The arm64 AppImage was linked on the glibc 2.35 image by mistake, it will not start on the older boards.",
          ),
          m(
            "orchestrator",
            "Wed 16:04",
            "Then rebuild arm64 on 2.28. When it is green, rerun smoke on linux-arm64 only; the other three stay as they are. After that ask Marit for sign-off in #rel-go.",
          ),
          m("agent", "Wed 16:05", "Job 88213 queued and running."),
        ],
      },
      signer: {
        task: "Sign msi, notarise dmg",
        status: "done",
        attempts: 3,
        result: { msi: "signed", dmg: "Accepted", ticketStapled: true },
        messages: [
          m("orchestrator", "Tue 19:00", "Sign rc2."),
          m(
            "tool",
            "Tue 19:22",
            `notarytool submit plover-5.12.0-rc2.dmg\n${many(507, 30, (i, pick, whole) => `  Current status: In Progress${".".repeat(1 + whole(9))} ${pick(["upload", "scan", "queue"])} ${i * 20}s`).join("\n")}\n  status: Invalid`,
          ),
          m(
            "agent",
            "Tue 19:30",
            "Retried, again Invalid. Log says: the helper plvr-crashd is signed without the hardened runtime. Not a certificate problem.",
          ),
          m("agent", "Wed 10:02", "Entitlement and flag added for the helper, committed as 9d41f7e by Joss. Trial submission Accepted."),
          m("agent", "Wed 13:10", "rc3 signed and notarised."),
        ],
      },
      smoke: {
        task: "Smoke tests on fresh machines",
        status: "waiting",
        attempts: 1,
        result: { win: "41/41", mac: "38/38", "linux-x64": "35/35", "linux-arm64": "start failed, waits for builder" },
        messages: [
          m("tool", "Wed 14:00", smoke(508, 90, "win11")),
          m("tool", "Wed 14:30", smoke(509, 60, "macos14")),
          m("tool", "Wed 15:10", smoke(510, 60, "ubuntu22")),
          m("tool", "Wed 15:40", "FAIL linux-arm64 install: /lib/aarch64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found"),
        ],
      },
      changelog: {
        task: "Release notes",
        status: "waiting",
        attempts: 1,
        result: { draft: "notes/5.12.0.md", words: 612, reviewedBy: "Joss", knownIssues: [] },
        messages: [m("tool", "Mon 15:00", commits), m("agent", "Mon 15:20", "85 commits grouped into 14 notes. Draft stands.")],
      },
      compliance: {
        task: "SBOM and licence list",
        status: "failed",
        attempts: 1,
        result: null,
        messages: [
          m(
            "agent",
            "Wed 13:40",
            "mac and linux done. SBOM for the Windows msi missing: the scanner cannot open the cab inside; unpack with msiexec /a first. Not retried yet.",
          ),
        ],
      },
    } satisfies Readonly<Record<string, SubAgent>>,
    blackboard: { artifacts, ports: [7001, 7002], lastPoll: "Wed 16:52", note: "poll returns old rc files too, look at stale" },
  },
};

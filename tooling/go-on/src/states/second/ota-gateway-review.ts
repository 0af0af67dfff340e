import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

/** The event list of a security reviewer looking at an update gateway for e-bikes; it stopped before the downgrade finding was proved on staging. */

interface Block {
  readonly type: "text" | "resource" | "resource_link" | "image";
  readonly [key: string]: unknown;
}

interface Step {
  readonly seq: number;
  readonly type: "plan" | "tool_call" | "tool_result" | "note" | "message" | "finding" | "checkpoint";
  readonly ts: string;
  readonly [key: string]: unknown;
}

let seq = 0;

function at(): string {
  const minutes = seq * 37;
  return `2025-09-2${3 + Math.floor(minutes / 480)}T${String(9 + Math.floor((minutes % 480) / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}:00+02:00`;
}

function step(type: Step["type"], rest: Readonly<Record<string, unknown>>): Step {
  seq += 1;
  return { seq, type, ts: at(), ...rest };
}

function text(value: string, priority?: number): Block {
  return priority === undefined
    ? { type: "text", text: value }
    : { type: "text", text: value, annotations: { audience: ["assistant"], priority } };
}

function call(name: string, args: unknown): Step {
  return step("tool_call", { name, arguments: args });
}

function result(content: readonly Block[], isError = false): Step {
  return step("tool_result", { result: { content, isError }, _meta: { progressToken: seq } });
}

const semgrep = (seed: number, count: number): string =>
  many(
    seed,
    count,
    (_, pick, whole) =>
      `${pick(["INFO", "INFO", "WARNING", "WARNING", "ERROR"])} ${pick(["go.lang.security", "go.net", "generic.secrets", "dockerfile", "go.crypto"])}.${pick(["tls-min-version", "missing-csrf", "path-join", "weak-rand", "http-no-timeout", "exec-arg", "run-as-root"])} ${pick(["gateway", "manifest", "signer", "fleet", "admin", "telemetry"])}/${pick(["handler", "store", "client", "parse", "router", "job"])}.go:${10 + whole(600)} ${pick(["triaged: false positive", "triaged: test code", "see list", "triaged: by design", "new"])}`,
  ).join("\n");

const listing = many(
  202,
  60,
  (_, pick, whole) =>
    `-rw-r--r-- ${1000 + whole(90000)} ${pick(["cmd", "internal", "pkg", "deploy", "test"])}/${pick(["gateway", "manifest", "signer", "fleet", "admin", "telemetry"])}/${pick(["handler", "store", "client", "parse", "router", "job", "doc"])}${pick(["", "_test", "_mock"])}.go`,
).join("\n");

const nginx = many(
  203,
  220,
  (_, pick, whole) =>
    `10.40.${whole(4)}.${whole(250)} - bike-${10000 + whole(9000)} "${pick(["GET /v3/manifest", "GET /v3/manifest", "GET /v3/blob", "POST /v3/ack", "HEAD /v3/blob"])}/${pick(["ctl", "bms", "disp", "motor"])}" ${pick([200, 200, 200, 304, 404, 429])} ${whole(90000)} ${(whole(900) / 1000).toFixed(3)}`,
).join("\n");

const sbom = many(204, 110, (_, pick, whole) => ({
  name: `${pick(["golang.org/x", "github.com/bikeco", "github.com/oss", "gopkg.in"])}/${pick(["net", "crypto", "yaml", "toml", "retry", "semver", "mux", "zip", "cbor"])}${whole(20)}`,
  version: `v${whole(4)}.${whole(30)}.${whole(12)}`,
  license: pick(["MIT", "BSD-3-Clause", "Apache-2.0", "MPL-2.0"]),
  vulns: pick([[], [], [], ["GHSA-seen-low"], ["accepted"]]),
}));

const steps: readonly Step[] = [
  step("message", {
    from: "lead (Ruben)",
    content: [
      text(
        "Review assignment SR-311. Object: OTA gateway 3.4, Go service delivering firmware to e-bikes. Deliverable: a report with findings ranked by severity for the release board on 2 October. Pinned commit 8c1e44d; anything later is out of scope. Ground rules in the attached engagement sheet apply.",
      ),
      {
        type: "resource",
        resource: {
          uri: "file:///engagements/SR-311/rules.txt",
          mimeType: "text/plain",
          text: "1. Evidence is kept for 24 months. 2. Reviewer works alone unless stated. 3. Active tests against ota-gw-prod are forbidden at all times; only ota-gw-stg may be probed. 4. Staging locks the account for 24 hours above 30 requests per minute. 5. Office hours do not apply to staging. 6. Exploit steps must not be written into Jira; they go to the sealed vault folder only. 7. The vendor is informed by the lead, not by the reviewer.",
        },
      },
    ],
  }),
  step("plan", {
    items: [
      { n: 1, what: "map attack surface", state: "done" },
      { n: 2, what: "static analysis", state: "done?" },
      { n: 3, what: "manual review manifest + signer", state: "running" },
      { n: 4, what: "dynamic checks on staging", state: "pending" },
      { n: 5, what: "threat model appendix, update for BLE relay", state: "pending", remark: "not begun; board asked for it explicitly" },
      { n: 6, what: "report", state: "pending" },
    ],
  }),
  call("fs.list", { root: "/src/ota-gateway", rev: "8c1e44d" }),
  result([text(listing)]),
  call("semgrep.scan", { config: "p/golang", run: 1 }),
  result([text(semgrep(205, 160))]),
  step("note", { content: [text("Run 1: 70 hits, 3 worth reading. Run 2 with own rules for the signer.")] }),
  call("semgrep.scan", { config: "rules/signer.yml", run: 2 }),
  result([text(semgrep(206, 70))]),
  step("finding", { id: "F-01", title: "Manifest endpoint discloses fleet id", severity: "Low", state: "written" }),
  step("finding", {
    id: "F-02",
    title: "Debug console accepts default PIN",
    severity: "Medium",
    was: "High",
    state: "written",
    rationale: "F-02 lowered from High to Medium: needs physical UART access with the casing open, agreed with Ruben.",
  }),
  step("finding", {
    id: "F-03",
    title: "Signing key rotation not evidenced",
    severity: "tbd",
    state: "blocked",
    rationale: "Cannot be rated without the HSM rotation log. Ask Priyanka (platform) for it before anything is written under F-03.",
  }),
  call("logs.fetch", { host: "ota-gw-stg", lines: 90 }),
  result([text(nginx), { type: "resource_link", uri: "log://ota-gw-stg/2025-09-24", name: "full log" }]),
  step("note", { content: [text("Nothing in the log besides the known 429s. 404 on /v3/blob/disp is a test fixture.")] }),
  call("sbom.read", { artifact: "ota-gateway:3.4.0-rc5" }),
  result([
    { type: "resource", resource: { uri: "sbom://ota-gateway/3.4.0-rc5", mimeType: "application/json", text: JSON.stringify(sbom) } },
  ]),
  step("finding", { id: "F-04", title: "Outdated cbor library", severity: "Low", state: "written" }),
  step("finding", { id: "F-05", title: "Fleet id in redirect header", severity: "Low", state: "written" }),
  step("finding", { id: "F-06", title: "Admin audit log lacks actor", severity: "Medium", state: "written" }),
  call("semgrep.scan", { config: "p/secrets + p/jwt", run: 3 }),
  result(
    [text(`${semgrep(207, 110)}\nfatal: worker killed (memory limit 2 GiB)\nscanned 214 of 611 files\npartial results written`)],
    true,
  ),
  step("note", {
    content: [
      text(
        "Run 3 stopped at 214 of 611 files, out of memory. It counts as incomplete: the report may not claim full secret scanning until it has been repeated with --max-memory 6000.",
        0.7,
      ),
    ],
  }),
  call("fs.read", { path: "internal/manifest/compare.go", rev: "8c1e44d" }),
  result([
    text(
      `package manifest\n\n${many(208, 60, (_, pick, whole) => `${pick(["\t", "\t\t", "\t"])}${pick(["if err != nil {", "return nil, err", "}", "m.Parts = append(m.Parts, p)", 'log.Debug("part", p.ID)', "sort.Strings(ids)", "switch p.Kind {", "case kindBMS:"])}${whole(5) === 0 ? " // legacy" : ""}`).join("\n")}\n\nfunc newer(a, b string) bool { return a > b } // versions\n`,
    ),
  ]),
  step("finding", {
    id: "F-07",
    title: "Downgrade accepted",
    severity: "High (provisional)",
    state: "unproved",
    rationale:
      "newer() compares versions as strings, so 1.9.8 counts as newer than 1.10.2. To be proved on ota-gw-stg: offer signed image 1.9.8 to a controller on 1.10.2 and see whether the manifest is accepted.",
  }),
  step("checkpoint", {
    label: "before dynamic checks",
    staging: { account: "rev-311", requestsToday: 12, controller: "bench-4 (firmware 1.10.2)" },
  }),
  step("message", {
    from: "lead (Ruben)",
    content: [
      text(
        "Read your drafts. F-05 is a duplicate of F-01, merge it into F-01 and keep the numbering of the others. Go ahead with F-07 on bench-4. Afterwards F-03. I am out on Friday, Ilse decides in my place.",
      ),
    ],
  }),
  step("note", { content: [text("Acknowledged. Not yet merged. Stopping here for today.")] }),
];

export const state: WorkingState = {
  name: "ota-gateway-review",
  language: "en",
  kind: "security review; MCP content blocks and typed step list",
  focus: "prove the downgrade finding on staging",
  human:
    "SR-311: security review of OTA gateway 3.4 at commit 8c1e44d, report ranked by severity for the release board on 2 October. Active tests against ota-gw-prod are forbidden, only ota-gw-stg; above 30 requests per minute staging locks the account 24 hours. Exploit steps must not be written into Jira, only the sealed vault. Next: prove F-07 on ota-gw-stg: offer signed image 1.9.8 to bench-4 on 1.10.2 (versions compared as strings). Then F-03: ask Priyanka for the HSM rotation log first. Todo: threat model appendix, update for BLE relay, not begun. F-02 lowered from High to Medium (physical UART access). Semgrep run 3 incomplete: 214 of 611 files, repeat with --max-memory 6000. Ruben's last word: F-05 is a duplicate of F-01, merge; Friday Ilse decides.",
  questions: [
    { kind: "goal", q: "What is to be delivered and for whom, when?", answer: ["release board[\\s\\S]{0,20}?2 October"] },
    {
      kind: "prohibition",
      q: "Which host may not be tested actively?",
      answer: ["ota-gw-prod are forbidden|forbidden[\\s\\S]{0,40}?ota-gw-prod"],
    },
    { kind: "prohibition", q: "Where must exploit steps not go?", answer: ["Exploit steps must not[\\s\\S]{0,40}?Jira"] },
    { kind: "next", q: "How is F-07 to be proved?", answer: ["1\\.9\\.8[\\s\\S]{0,60}?1\\.10\\.2", "F-07"] },
    { kind: "next", q: "What is needed before F-03 is written, from whom?", answer: ["HSM rotation log", "Priyanka"] },
    { kind: "todo", q: "Which appendix has not been begun?", answer: ["threat model appendix[\\s\\S]{0,40}?BLE relay"] },
    { kind: "decision", q: "How was F-02 rated in the end, and why?", answer: ["F-02[\\s\\S]{0,30}?from High to Medium", "UART"] },
    { kind: "error", q: "What went wrong with semgrep run 3?", answer: ["214 of 611"] },
    { kind: "fact", q: "Which request limit has staging?", answer: ["30 requests per minute"] },
    { kind: "recent", q: "What did the lead say about F-05?", answer: ["F-05 is a duplicate of F-01"] },
  ],
  context: {
    sessionId: "sr311-9f",
    client: { name: "review-runner", version: "0.14.2", protocolVersion: "2025-06-18" },
    capabilities: { tools: { listChanged: true }, resources: { subscribe: false } },
    reviewId: "SR-311",
    commit: "8c1e44d",
    isError: false,
    content: [
      text("Session restored. Last checkpoint: before dynamic checks."),
      text("Findings: 7 (4 written, 1 blocked, 1 unproved, 1 to merge)"),
    ],
    structuredContent: { findings: 7, written: 5, lastSeq: seq },
    steps,
    nextCursor: null,
  },
};

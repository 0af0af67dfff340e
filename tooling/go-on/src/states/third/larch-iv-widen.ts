import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

type Item = Record<string, unknown>;

const said = (role: "user" | "assistant" | "developer", text: string): Item => ({
  type: "message",
  role,
  content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
});

const thought = (n: number, text: string): Item => ({
  type: "reasoning",
  id: `rs_0f3a${String(n).padStart(4, "0")}`,
  summary: [{ type: "summary_text", text }],
  encrypted_content: null,
  status: "completed",
});

const call = (n: number, command: string): Item => ({
  type: "function_call",
  id: `fc_71b${n}`,
  name: "shell",
  call_id: `call_${n}xQ`,
  arguments: JSON.stringify({ command: ["bash", "-lc", command], workdir: "/src/larch", timeout_ms: 120000 }),
});

const result = (n: number, output: string, exitCode: number): Item => ({
  type: "function_call_output",
  call_id: `call_${n}xQ`,
  output: JSON.stringify({ output, metadata: { exit_code: exitCode, duration_seconds: ((n * 7) % 43) + 0.4 } }),
});

const plan = (n: number, steps: readonly (readonly [string, string])[], explanation: string): Item => ({
  type: "function_call",
  id: `fc_71b${n}`,
  name: "update_plan",
  call_id: `call_${n}xQ`,
  arguments: JSON.stringify({ explanation, plan: steps.map(([step, status]) => ({ step, status })) }),
});

const bisectLog = many(101, 150, (i, pick, whole) => {
  const pass = pick([
    "simplify-cfg",
    "early-cse",
    "gvn",
    "licm",
    "loop-rotate",
    "inst-combine",
    "sroa",
    "dse",
    "jump-thread",
    "mem-copy-opt",
  ]);
  if (i === 144) return "BISECT: running pass (1834) iv-widen on function (resample_poly) bb=7";
  return `BISECT: ${i < 149 ? "running" : "NOT running"} pass (${1690 + i}) ${pass} on function (${pick(["fir_block", "resample_poly", "clip_q15", "init_tables", "ring_push", "ring_pop"])}) bb=${whole(40)}`;
}).join("\n");

const irDump = many(102, 130, (i, pick, whole) =>
  pick([
    `  %iv.${i} = phi i16 [ 0, %entry ], [ %iv.next.${whole(90)}, %loop.body ]`,
    `  %g${i} = getelementptr inbounds i16, ptr %taps, i64 %idx.${whole(90)}`,
    `  %m${i} = mul nsw i32 %x.${whole(50)}, %c.${whole(50)}`,
    `  %s${i} = ashr i32 %m${whole(100)}, 15`,
    `  br i1 %cmp.${whole(50)}, label %loop.body, label %exit.${whole(9)}`,
    `  store i16 %t${whole(90)}, ptr %out.${whole(60)}, align 2`,
  ]),
).join("\n");

const grepOut = many(
  103,
  90,
  (_i, pick, whole) =>
    `lib/Transforms/${pick(["IVWiden/IVWiden.cpp", "IVWiden/Extend.cpp", "Scalar/LoopReduce.cpp", "Utils/ScevExpand.cpp", "Vectorize/LoopVec.cpp"])}:${whole(1900) + 12}:    ${pick(["if (Add->hasNoSignedWrap())", "NewAdd->setNoSignedWrap(true);", "copyWrapFlags(Narrow, Wide);", "// nsw is preserved by construction", "const bool NSW = Flags & WrapFlags::NSW;", "assert(!isTainted(Flags));"])}`,
).join("\n");

const buildLog = many(
  104,
  110,
  (i, pick, whole) =>
    `[${i + 1}/212] ${pick(["Building CXX object", "Linking CXX static library", "Building CXX object", "Generating"])} lib/${pick(["Transforms", "Analysis", "CodeGen", "Target/K9"])}/CMakeFiles/L${pick(["Scalar", "IVWiden", "Scev", "Sched"])}.dir/${pick(["Extend", "Fold", "Ranges", "Emit", "Select"])}${whole(30)}.cpp.o`,
).join("\n");

const litLog = many(
  105,
  96,
  (i, pick, whole) =>
    `PASS: Larch :: Transforms/IVWiden/${pick(["basic", "zext", "sext-chain", "multi-exit", "lcssa", "step-neg", "dead-phi", "outer"])}-${whole(60)}.ll (${i + 1} of 97)`,
).join("\n");

const asmDiff = many(
  106,
  90,
  (_i, pick, whole) =>
    `${pick(["-", "+", " ", " "])}\t${pick(["lh", "sh", "addi", "mac.q15", "bne", "sext.h", "slli"])}\t${pick(["a0", "a1", "t3", "s2"])}, ${whole(256)}(${pick(["sp", "s0", "gp"])})`,
).join("\n");

/** The state of a coding agent hunting a wrong-code bug in an in-house compiler, stopped after its fix broke one older test. */
export const state: WorkingState = {
  name: "larch-iv-widen",
  language: "en",
  kind: "coding agent, response items with reasoning, function calls and outputs; compiler bug hunt",
  focus: "finish the induction widening fix and its tests",
  human:
    "Goal: larchc 5.2 at -O2 miscompiles a customer's resampler (output wrong from sample 32768 on); find the pass, fix it, add a regression test. Cause: IVWiden copies nsw from the i16 counter to the i64 one (bisect limit 1834). Decided: drop nsw in widenInduction, don't disable the pass (7.4 % slower on CoreBench). Not the alias analysis. Never edit third_party/isl (certified). Do not push to release/5.2; only branch fix/iv-widen-wrap. Last run: IVWiden/nested-step.ll fails, line 61 expects `add nuw nsw i64`. Next: in Extend.cpp keep nsw when rangeFits() proves the range, so nested-step passes; then write test/Transforms/IVWiden/wrap-i16.ll with trip count 40000. Still to do: CoreBench on board K9-b, regression allowed at most 1 %. Reproducer repro/resampler-min.c, correct checksum 0x9d41c07e. Latest from Marit: the customer ships Thursday 14:00, tell them -fno-iv-widen is fine as workaround, but only for resampler.c.",
  questions: [
    {
      kind: "goal",
      q: "What is to be fixed?",
      answer: [
        "resampler",
        "(?:miscompil|wrong code|wrong output|wrong samples)[\\s\\S]{0,200}?-O2|-O2[\\s\\S]{0,200}?(?:miscompil|wrong code|wrong output|wrong)",
      ],
    },
    {
      kind: "prohibition",
      q: "Which tree must not be edited?",
      answer: [
        "(?:[Nn]ever|not|[Dd]on't|[Hh]ands off)[\\s\\S]{0,80}?third_party/isl|third_party/isl[\\s\\S]{0,80}?(?:never|not |off limits|don't)",
      ],
    },
    {
      kind: "prohibition",
      q: "Where must nothing be pushed?",
      answer: [
        "(?:[Nn]ever|not|[Dd]on't|[Nn]o push)[\\s\\S]{0,60}?release/5\\.2|release/5\\.2[\\s\\S]{0,60}?(?:never|not |don't|off limits)",
      ],
    },
    { kind: "decision", q: "Fix the flag or disable the pass?", answer: ["(?:drop|clear)\\w*[\\s\\S]{0,40}?nsw", "7\\.4 ?%"] },
    { kind: "next", q: "How is nested-step made to pass again?", answer: ["rangeFits"] },
    { kind: "next", q: "Which regression test is to be written, with what trip count?", answer: ["wrap-i16\\.ll", "40 ?000"] },
    {
      kind: "todo",
      q: "What must be measured before it goes in, and what is allowed?",
      answer: ["CoreBench[\\s\\S]{0,160}?1 ?%|1 ?%[\\s\\S]{0,160}?CoreBench", "K9-b"],
    },
    { kind: "error", q: "What fails now?", answer: ["nested-step\\.ll", "add nuw nsw i64"] },
    {
      kind: "recent",
      q: "What may the customer be told as workaround?",
      answer: ["-fno-iv-widen[\\s\\S]{0,160}?resampler\\.c|resampler\\.c[\\s\\S]{0,160}?-fno-iv-widen", "Thursday"],
    },
    { kind: "fact", q: "Reproducer and its correct checksum?", answer: ["resampler-min\\.c", "0x9d41c07e"] },
  ],
  context: {
    session: {
      id: "019a4c1e-7d20-7b33",
      cwd: "/src/larch",
      sandbox: "workspace-write",
      approval: "on-request",
      effort: "high",
      git: { branch: "fix/iv-widen-wrap", base: "a81f20c", dirty: true },
    },
    usage: { input: 188412, cached: 171008, output: 20117, turns: 23 },
    items: [
      said(
        "developer",
        "You are a coding agent working in the user's repository. Prefer rg to grep. Keep patches minimal. Use update_plan for anything with more than two steps. Do not revert changes you did not make.",
      ),
      said(
        "user",
        "<environment_context>\n  <cwd>/src/larch</cwd>\n  <shell>bash</shell>\n  <network_access>restricted</network_access>\n</environment_context>",
      ),
      said(
        "user",
        "Customer report LR-2207: larchc 5.2 at -O2 miscompiles their polyphase resampler, samples from 32768 on are garbage, -O1 is fine. Find out which pass does it, fix it properly, and leave a regression test behind. Reduced reproducer from them is in repro/resampler-min.c; the correct checksum is 0x9d41c07e (same at -O0 and from gcc).\n\nOne thing up front: third_party/isl is off limits, never edit anything in there, the certification people have pinned it by hash.",
      ),
      thought(
        1,
        "**Planning the reproduction**\n\nBuild 5.2 with assertions, run the reproducer at -O0, -O1, -O2 and compare checksums, then bisect over passes.",
      ),
      plan(
        1,
        [
          ["Reproduce LR-2207 at -O2", "in_progress"],
          ["Bisect over passes", "pending"],
          ["Find root cause", "pending"],
          ["Fix and test", "pending"],
        ],
        "Start.",
      ),
      result(1, "Plan updated", 0),
      call(2, "ninja -C build larchc 2>&1 | tail -130"),
      result(2, buildLog, 0),
      call(3, "for o in 0 1 2; do build/bin/larchc -O$o repro/resampler-min.c -o /tmp/r$o && qemu-k9 /tmp/r$o; done"),
      result(3, "checksum 0x9d41c07e\nchecksum 0x9d41c07e\nchecksum 0x13b0e6f2\n", 0),
      thought(
        2,
        "**Suspecting alias analysis**\n\nThe store to out[] and the read from ring[] may be reordered. My first bet is the alias analysis treating the two i16 pointers as disjoint.",
      ),
      call(4, "build/bin/larchc -O2 -fno-strict-alias repro/resampler-min.c -o /tmp/r2a && qemu-k9 /tmp/r2a"),
      result(4, "checksum 0x13b0e6f2\n", 0),
      said(
        "assistant",
        "Reproduced: -O2 gives 0x13b0e6f2. Turning off strict aliasing changes nothing, so the alias analysis is not it. Bisecting over passes now.",
      ),
      call(5, "build/bin/larchc -O2 -mllvm-bisect=1839 repro/resampler-min.c 2>&1 | tail -150"),
      result(5, bisectLog, 0),
      call(6, "scripts/bisect-pass.sh repro/resampler-min.c 0x9d41c07e"),
      result(
        6,
        "good 1700\nbad 1839\ngood 1769\ngood 1804\ngood 1821\nbad 1837\nbad 1834\ngood 1833\nfirst bad: 1834 iv-widen on function (resample_poly)\n",
        0,
      ),
      thought(
        3,
        "**Pass found**\n\nLimit 1834, iv-widen on resample_poly. The counter is i16 and the trip count can exceed 32767, so the narrow add wraps in the source (unsigned short), yet the wide add carries nsw. I need to look at how the flags are copied.",
      ),
      call(7, "build/bin/larchc -O2 -print-before=iv-widen -print-after=iv-widen repro/resampler-min.c 2>&1 | head -140"),
      result(7, irDump, 0),
      call(8, "rg -n 'NoSignedWrap|nsw|WrapFlags' lib/Transforms lib/Analysis"),
      result(8, grepOut, 0),
      said(
        "assistant",
        "Root cause: `widenInduction` in lib/Transforms/IVWiden/Extend.cpp copies the wrap flags of the narrow i16 add to the new i64 add (`copyWrapFlags(Narrow, Wide)`, line 388). The narrow flag was inferred for a trip count below 32768 only. Two ways: (a) disable iv-widen for i16 counters, or (b) drop the nsw flag when widening. Which do you prefer?",
      ),
      said(
        "user",
        "tried (a) in the spring for another ticket: costs 7.4 % on CoreBench, nobody here will accept that. So (b), drop nsw in widenInduction, leave the pass enabled. And please work on fix/iv-widen-wrap only. Do not push to release/5.2, I cherry-pick myself after review.",
      ),
      plan(
        9,
        [
          ["Reproduce LR-2207 at -O2", "completed"],
          ["Bisect over passes", "completed"],
          ["Find root cause", "completed"],
          ["Drop nsw in widenInduction", "in_progress"],
          ["Regression test test/Transforms/IVWiden/wrap-i16.ll, i16 counter, trip count 40000", "pending"],
          ["CoreBench on board K9-b before/after, allowed regression at most 1 %", "pending"],
          ["Release note line for 5.2.3", "pending"],
        ],
        "Root cause known, Marit chose to drop the flag.",
      ),
      result(9, "Plan updated", 0),
      call(
        10,
        "apply_patch <<'P'\n*** Update File: lib/Transforms/IVWiden/Extend.cpp\n@@\n-  copyWrapFlags(Narrow, Wide);\n+  copyWrapFlags(Narrow, Wide);\n+  Wide->setNoSignedWrap(false);\nP",
      ),
      result(10, "Success. Updated the following files:\nM lib/Transforms/IVWiden/Extend.cpp\n", 0),
      call(
        11,
        "ninja -C build larchc && build/bin/larchc -O2 repro/resampler-min.c -o /tmp/r2 && qemu-k9 /tmp/r2 && git diff --no-index /tmp/old.s /tmp/new.s | head -100",
      ),
      result(11, `checksum 0x9d41c07e\n${asmDiff}\n`, 0),
      said("assistant", "The reproducer is right at -O2 now. Running the pass's own tests next."),
      said(
        "user",
        "good. btw the customer ships Thursday 14:00 and can't wait for 5.2.3, so in the reply draft tell them -fno-iv-widen is fine as a workaround, but only for resampler.c, not for the whole build.",
      ),
      call(12, "ninja -C build check-ivwiden"),
      result(
        12,
        `${litLog}\nFAIL: Larch :: Transforms/IVWiden/nested-step.ll (97 of 97)\n******************** TEST 'Larch :: Transforms/IVWiden/nested-step.ll' FAILED ********************\n/src/larch/test/Transforms/IVWiden/nested-step.ll:61:10: error: CHECK: expected string not found in input\n; CHECK: add nuw nsw i64 %outer.iv, 4\n         ^\n<stdin>:44:2: note: possible intended match here\n %outer.iv.next = add nuw i64 %outer.iv, 4\n********************\nPassed: 96\nFailed: 1\n`,
        1,
      ),
      thought(
        4,
        "**Narrowing the fix**\n\nDropping the flag always is too blunt: in nested-step the outer counter has a known range of [0, 1024), so nsw is provable. Extend.cpp already has rangeFits(const Scev *, unsigned Bits). I should clear nsw only if rangeFits(NarrowScev, 16) is false, and rerun check-ivwiden before writing the new test. I must not weaken the CHECK line in nested-step.",
      ),
    ],
    truncation: "auto",
    last_response_id: "resp_68f0c2",
    status: "interrupted",
  },
};

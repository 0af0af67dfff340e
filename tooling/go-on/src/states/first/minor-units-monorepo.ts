import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

type Block = Readonly<Record<string, unknown>>;

const text = (value: string): Block => ({ type: "text", text: value });
const use = (id: string, name: string, input: Block): Block => ({ type: "tool_use", id: `toolu_${id}`, name, input });
const result = (id: string, content: string, isError = false): Block => ({
  type: "tool_result",
  tool_use_id: `toolu_${id}`,
  is_error: isError,
  content: [{ type: "text", text: content }],
});
const user = (...content: Block[]): Block => ({ role: "user", content });
const assistant = (...content: Block[]): Block => ({ role: "assistant", content });

const files = [
  "apps/checkout/src/cart/CartTotals.tsx",
  "apps/checkout/src/payment/intent.ts",
  "apps/checkout/src/shipping/quote.ts",
  "apps/backoffice/src/orders/OrderTable.tsx",
  "apps/backoffice/src/refunds/RefundDialog.tsx",
  "apps/backoffice/src/reports/turnover.ts",
  "services/invoicer/src/totals.ts",
  "services/invoicer/src/lines/discount.ts",
  "services/invoicer/src/pdf/footer.ts",
  "services/ledger/src/postings.ts",
  "packages/ui/src/Price.tsx",
] as const;
const snippets = [
  "const total = toFloat(row.net) * (1 + row.vatRate);",
  "amount: Number(payload.amount) / 100,",
  'import { toFloat, fromFloat } from "@harbour/money";',
  "if (Math.abs(sum - expected) < 0.005) return;",
  "return parseFloat(price.toFixed(2));",
  "const net = money.amount - money.amount * discount.rate;",
  "label={formatMoney(order.total, order.currency)}",
  "// FIXME cents drift when more than 20 lines",
  "lines.reduce((acc, l) => acc + l.amount, 0)",
] as const;

const grep = (seed: number, count: number): string =>
  many(seed, count, (_i, pick, whole) => `${pick(files)}:${12 + whole(380)}:  ${pick(snippets)}`).join("\n");

const testLog = (seed: number, count: number): string =>
  many(seed, count, (i, pick, whole) => {
    const suite = pick(["cart totals", "payment intent", "shipping quote", "format", "parse", "compare", "serialise"]);
    return ` ✓ ${suite} > ${pick(["keeps the currency", "adds two amounts", "rejects mixed currencies", "handles zero", "handles negative refunds", "formats for de-AT", "formats for ja-JP"])} (case ${i + 1}) ${1 + whole(40)} ms`;
  }).join("\n");

const source = (seed: number, count: number): string =>
  many(seed, count, (i, pick, whole) => {
    const name = pick(["net", "gross", "vat", "discount", "shipping", "fee", "refund"]);
    return `${String(i + 1).padStart(4)}  ${pick([
      `export function ${name}Of(order: Order): Money {`,
      `  const ${name} = order.lines.map((line) => line.${name});`,
      `  return { amount: ${name}.reduce((a, b) => a + b, 0n), currency: order.currency };`,
      "}",
      `  if (order.currency !== "${pick(["EUR", "SEK", "CHF", "PLN"])}") throw new CurrencyMismatch(order.id);`,
      `  // see #${4000 + whole(900)}`,
      `  const rate = VAT_RATES[order.country] ?? ${pick(["0.19", "0.2", "0.25", "0.081"])};`,
    ])}`;
  }).join("\n");

const usage = (i: number): Block => ({
  turn: i,
  input_tokens: 9_000 + i * 1_730,
  output_tokens: 310 + ((i * 97) % 420),
  cache_read_input_tokens: 8_192,
});

/** A coding agent's state in a TypeScript monorepo, stopped on a failing VAT test in the invoicer halfway through moving money off floats. */
export const state: WorkingState = {
  name: "minor-units-monorepo",
  language: "en",
  kind: "coding agent in a monorepo; Anthropic-style messages with content blocks",
  focus: "fix the failing invoicer test and go on",
  human:
    'Harbour monorepo: move @harbour/money off floats onto integer minor units (bigint) in checkout, backoffice and invoicer, before the release cut Thursday 14 May. Do not touch packages/money-legacy (iOS bridge). Never run pnpm -r test: services/ledger tests write to the shared staging db; use --filter. Rounding (Ines): half-even in services/invoicer only, checkout stays half-up. Wire format stays a string, {"amount":"1999","currency":"EUR"} (Dario\'s mobile parser). Push to feat/minor-units-2, the old branch is locked. Checkout done. Now: invoicer vat.spec fails, because allocate() hands the remainder to the first line; give the remainder to the last line, rerun with --filter. Then codemod on backoffice: node tools/codemods/minor-units.mjs apps/backoffice/src --dry, look at the diff first. Still to do: changeset, major for @harbour/money.',
  questions: [
    { q: "What is the job and by when?", kind: "goal", answer: ["minor units", "14 May"] },
    {
      q: "Which package must stay as it is?",
      kind: "prohibition",
      answer: [
        "(?:[Dd]on'?t|[Dd]o not|[Nn]ever) (?:touch|edit|change)[\\s\\S]{0,60}?money-legacy|money-legacy[\\s\\S]{0,60}?(?:untouched|not be touched|off limits)",
      ],
    },
    {
      q: "Which test command is forbidden?",
      kind: "prohibition",
      answer: [
        "(?:[Nn]ever|NEVER|[Dd]on'?t|[Dd]o not)[\\s\\S]{0,60}?pnpm -r test|pnpm -r test[\\s\\S]{0,60}?(?:never|forbidden|not allowed)",
      ],
    },
    { q: "Which rounding where?", kind: "decision", answer: ["half-even[\\s\\S]{0,60}?invoicer|invoicer[\\s\\S]{0,60}?half-even"] },
    {
      q: "Which test fails and why?",
      kind: "error",
      answer: ["vat\\.spec", "remainder[\\s\\S]{0,60}?first|first[\\s\\S]{0,60}?remainder"],
    },
    { q: "What change makes it pass?", kind: "next", answer: ["remainder[\\s\\S]{0,60}?last line|last line[\\s\\S]{0,60}?remainder"] },
    { q: "Which command comes after that, for backoffice?", kind: "next", answer: ["minor-units\\.mjs apps/backoffice/src --dry"] },
    { q: "What release paperwork is open?", kind: "todo", answer: ["changeset[\\s\\S]{0,80}?major|major[\\s\\S]{0,80}?changeset"] },
    { q: "How does money travel in JSON?", kind: "recent", answer: ['"amount": ?"1999"|(?:wire|JSON)[\\s\\S]{0,60}?string'] },
    { q: "Where to push?", kind: "fact", answer: ["feat/minor-units-2"] },
  ],
  context: {
    session: "s-7741",
    model: "default",
    max_tokens: 8192,
    system: [
      text(
        "You are a coding agent working in the repository /srv/harbour (pnpm workspace, TypeScript, vitest, turbo). Tools: bash, read_file, edit_file, todo_write. Keep answers short. Read a file before you edit it. Small commits, imperative subject, no emoji. Run the type checker of a package after each edit in it. Ask before you add a dependency. When a test fails, read the test before the code.",
      ),
    ],
    tools: ["bash", "read_file", "edit_file", "todo_write"],
    messages: [
      user(
        text(
          "hi. job for this week: get @harbour/money off floats and onto integer minor units (bigint), in apps/checkout, apps/backoffice and services/invoicer. has to be in before the release cut, Thursday 14 May. don't touch packages/money-legacy, the iOS bridge loads it by path and nobody here can rebuild that. branch is feat/minor-units",
        ),
      ),
      assistant(
        text("I'll look for all users of the float helpers first."),
        use("01a", "bash", { command: "rg -n 'toFloat|fromFloat|\\.amount' apps services packages --glob '!packages/money-legacy'" }),
      ),
      user(result("01a", grep(101, 110))),
      assistant(
        text("110 hits in 11 files. Plan: package first, then checkout, invoicer, backoffice."),
        use("01b", "todo_write", {
          todos: [
            { id: 1, content: "bigint core in packages/money", status: "in_progress" },
            { id: 2, content: "apps/checkout", status: "pending" },
            { id: 3, content: "services/invoicer", status: "pending" },
            { id: 4, content: "apps/backoffice", status: "pending" },
          ],
        }),
        use("01c", "read_file", { path: "packages/money/src/index.ts" }),
      ),
      user(result("01b", "ok"), result("01c", source(102, 60))),
      assistant(
        text("Core is small. I'll round half-up everywhere, in packages/money/src/round.ts, so that there is one place for it."),
        use("01d", "edit_file", {
          path: "packages/money/src/round.ts",
          old: "export const round = (n: number) => Math.round(n * 100) / 100;",
          new: "export const roundHalfUp = (n: bigint, d: bigint): bigint => (2n * n + d) / (2n * d);",
        }),
        use("01e", "bash", { command: "pnpm --filter @harbour/money test" }),
      ),
      user(result("01d", "edited 1 place"), result("01e", `${testLog(103, 48)}\n\nTest Files  6 passed (6)\n     Tests  48 passed (48)`)),
      assistant(use("01f", "read_file", { path: "packages/money/src/exponents.ts" })),
      user(
        result(
          "01f",
          "export const EXPONENT: Record<string, number> = {\n  EUR: 2,\n  SEK: 2,\n  JPY: 0,\n  KWD: 3,\n  CHF: 2,\n  PLN: 2,\n};\n",
        ),
      ),
      assistant(
        text("Fine as it is. Now the checkout."),
        use("02a", "bash", { command: "node tools/codemods/minor-units.mjs apps/checkout/src && git diff --stat" }),
      ),
      user(
        result(
          "02a",
          many(
            104,
            34,
            (_i, pick, whole) =>
              ` ${pick(files).replace(/^.*?src/u, "apps/checkout/src")} | ${1 + whole(40)} ${"+".repeat(1 + whole(12))}${"-".repeat(1 + whole(9))}`,
          ).join("\n"),
        ),
      ),
      assistant(
        text("Codemod is clean on checkout. Running the whole suite to see what else broke."),
        use("02b", "bash", { command: "git add -A && git commit -qm 'Use minor units in checkout' && git log --oneline -1" }),
      ),
      user(
        result("02b", "9c41f0e Use minor units in checkout"),
        text(
          "wait, you said whole suite: never use `pnpm -r test` in here. the tests of services/ledger write into the shared staging db, Kemal spent a day cleaning up last time. always --filter the package.",
        ),
      ),
      assistant(text("Understood, only filtered runs."), use("02c", "bash", { command: "pnpm --filter @harbour/checkout test" })),
      user(result("02c", `${testLog(105, 90)}\n\nTest Files  19 passed (19)\n     Tests  90 passed (90)`)),
      assistant(
        text("Checkout is green. Invoicer next. One question: invoices are rounded per line, should I keep half-up there?"),
        use("02d", "read_file", { path: "services/invoicer/src/totals.ts" }),
      ),
      user(
        result("02d", source(106, 130)),
        text(
          "asked Ines from finance. half-even in services/invoicer, and only there. checkout stays half-up because the PSP rounds like that and we reconcile against them. so two functions, not one",
        ),
      ),
      assistant(
        use("03a", "edit_file", {
          path: "packages/money/src/round.ts",
          old: "",
          new: "export const roundHalfEven = (n: bigint, d: bigint): bigint => {\n  const q = n / d;\n  const r = 2n * (n % d);\n  return r > d || (r === d && q % 2n === 1n) ? q + 1n : q;\n};",
        }),
        use("03b", "bash", { command: "pnpm --filter @harbour/invoicer exec tsc --noEmit" }),
      ),
      user(
        result("03a", "edited 1 place"),
        result(
          "03b",
          many(
            107,
            42,
            (_i, pick, whole) =>
              `services/invoicer/src/${pick(["totals", "lines/discount", "lines/vat", "pdf/footer", "export/datev"])}.ts(${10 + whole(200)},${1 + whole(40)}): error TS${pick(["2365", "2322", "2345"])}: ${pick(["Operator '+' cannot be applied to types 'number' and 'bigint'.", "Type 'bigint' is not assignable to type 'number'.", "Argument of type 'number' is not assignable to parameter of type 'bigint'."])}`,
          ).join("\n"),
          true,
        ),
      ),
      assistant(
        text("42 type errors, all mechanical. Working through them file by file."),
        use("03c", "bash", { command: "pnpm --filter @harbour/invoicer exec tsc --noEmit | wc -l" }),
      ),
      user(result("03c", "0")),
      assistant(
        use("03d", "todo_write", {
          todos: [
            { id: 1, content: "bigint core in packages/money", status: "completed" },
            { id: 2, content: "apps/checkout", status: "completed", note: "9c41f0e, 90 tests green" },
            { id: 3, content: "services/invoicer", status: "in_progress", note: "types clean; tests not yet" },
            {
              id: 4,
              content: "apps/backoffice",
              status: "pending",
              note: "node tools/codemods/minor-units.mjs apps/backoffice/src --dry, read the diff before writing: RefundDialog has its own cents logic",
            },
            { id: 5, content: "changeset for the release: @harbour/money goes major, apps patch", status: "pending" },
          ],
        }),
        use("03e", "bash", { command: "pnpm --filter @harbour/invoicer test" }),
      ),
      user(
        result("03d", "ok"),
        result(
          "03e",
          `${testLog(108, 64)}\n ❯ test/vat.spec.ts > splits 19% over three lines\n   AssertionError: expected [ 334n, 333n, 333n ] to deeply equal [ 333n, 333n, 334n ]\n    ❯ test/vat.spec.ts:57:23\n     55|   const parts = allocate(1000n, [1, 1, 1]);\n     56|   // DATEV wants the odd cent at the end\n     57|   expect(parts).toEqual([333n, 333n, 334n]);\n\n Test Files  1 failed | 13 passed (14)\n      Tests  1 failed | 64 passed (65)`,
          true,
        ),
      ),
      assistant(
        text(
          "One failure. allocate() in packages/money/src/allocate.ts gives the remainder to the first line; the DATEV export expects the remainder on the last line. The test is right, so I'll turn the loop round and rerun vat.spec.",
        ),
        use("04a", "read_file", { path: "packages/money/src/allocate.ts" }),
      ),
      user(
        result(
          "04a",
          "export function allocate(total: bigint, weights: readonly number[]): bigint[] {\n  const sum = BigInt(weights.reduce((a, b) => a + b, 0));\n  const parts = weights.map((w) => (total * BigInt(w)) / sum);\n  let rest = total - parts.reduce((a, b) => a + b, 0n);\n  for (let i = 0; rest > 0n; i++, rest--) parts[i] = (parts[i] ?? 0n) + 1n;\n  return parts;\n}\n",
        ),
        text(
          'two things before you go on. the wire format stays a string, {"amount":"1999","currency":"EUR"}, Dario\'s mobile parser chokes on numbers above 2^31. and feat/minor-units is locked since the merge queue got stuck, push to feat/minor-units-2 instead',
        ),
      ),
    ],
    usage: Array.from({ length: 14 }, (_, i) => usage(i)),
    stop_reason: "interrupted",
  },
};

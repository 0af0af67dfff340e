import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

const hex = "0123456789abcdef";

function checksum(whole: (below: number) => number): string {
  return Array.from({ length: 32 }, () => hex[whole(16)] ?? "0").join("");
}

interface Item {
  readonly n: number;
  readonly src: string;
  readonly out: string;
  readonly status: string;
  readonly tries: number;
  readonly dur_s: number;
  readonly vmaf: number | null;
  readonly b3sum: string | null;
  readonly worker: string | null;
  readonly note?: string;
}

function items(): Item[] {
  const made = many(9001, 812, (index, pick, whole): Item => {
    const n = index + 1;
    const src = `/vault/${pick(["beta", "digi", "dvcam", "umatic"])}/T${String(n).padStart(4, "0")}_${pick(["news", "sport", "drama", "local", "weather", "music"])}_${1978 + whole(26)}.mov`;
    const out = `/out/av1/T${String(n).padStart(4, "0")}.mkv`;
    if (n > 561) return { n, src, out, status: "pending", tries: 0, dur_s: 600 + whole(5000), vmaf: null, b3sum: null, worker: null };
    const tries = pick([1, 1, 1, 1, 1, 1, 2]);
    return {
      n,
      src,
      out,
      status: "ok",
      tries,
      dur_s: 600 + whole(5000),
      vmaf: 93 + whole(50) / 10,
      b3sum: checksum(whole),
      worker: pick(["enc-a", "enc-b", "enc-c"]),
      ...(tries === 2 ? { note: pick(["nfs stale handle, second try ok", "worker restarted", "scratch full, cleaned"]) } : {}),
    };
  });
  return made.map((item): Item => {
    if (item.n === 547)
      return {
        ...item,
        src: "/vault/umatic/T0547_local_1986.mov",
        status: "failed",
        tries: 3,
        vmaf: null,
        b3sum: null,
        note: "exit 234 three times: non-monotonic DTS in stream 1 (audio) at 00:41:07, muxer gives up; same on enc-a and enc-c",
      };
    if (item.n === 203 || item.n === 204 || item.n === 388)
      return { ...item, status: "recheck", note: "b3sum of the copy on tape library differs from the one here" };
    if (item.n === 118) return { ...item, status: "skipped", note: "blank tape, operator agreed" };
    return item;
  });
}

/** A batch runner that re-encodes a broadcaster's tape archive, stopped at a failing reel two thirds through. */
export const state: WorkingState = {
  name: "tape-archive-transcode",
  language: "en",
  kind: "loop over files with cursor, counters, retries and checksums, large",
  focus: "handle the failed reel and resume the loop",
  human:
    "Re-encoding 812 tape masters to AV1 in MKV for the museum, delivery on 30 June. Never write to or delete anything under /vault (only copies of the masters). Not more than two encoders from 07:00 to 19:00, playout shares the storage. Loop stands at cursor 561; 562 is next. Since item 300 preset 5 with crf 24, instead of preset 8 which smeared film grain; do not redo items 1 to 299. Failed: T0547, exit 234, non-monotonic DTS in the audio after 3 tries. Next: retry it with -fflags +genpts and audio re-encoded by aresample=async=1; if it fails again, mark as manual and go on at 562. Open: re-verify 203, 204 and 388, checksum (b3sum) differs from the tape library copy. Operator Wanda, last: enc-b is away until Friday, use enc-a and enc-c only. Accept when VMAF is at least 93.",
  questions: [
    { q: "What is the whole job, and when is delivery?", answer: ["812[\\s\\S]{0,80}?AV1", "30 June"], kind: "goal" },
    {
      q: "What must never be written to?",
      answer: [
        "(?:[Nn]ever|[Dd]o not) (?:write|delete)[\\s\\S]{0,50}?/vault|/vault[\\s\\S]{0,60}?(?:never|not)[\\s\\S]{0,20}?(?:writ|delet)",
      ],
      kind: "prohibition",
    },
    {
      q: "How many encoders are forbidden in the day?",
      answer: ["(?:[Nn]ot more than|[Nn]ever more than|no more than) two encoders", "07:00"],
      kind: "prohibition",
    },
    { q: "Which encoder settings hold, and why?", answer: ["preset 5", "grain"], kind: "decision" },
    { q: "Which item failed, how?", answer: ["T0547", "non-monotonic DTS"], kind: "error" },
    { q: "With which options is it retried?", answer: ["\\+genpts", "aresample=async=1"], kind: "next" },
    {
      q: "Where does the loop go on?",
      answer: ["(?:go on|resume|continue|next)[\\s\\S]{0,20}?562|562[\\s\\S]{0,20}?(?:is next|next)"],
      kind: "next",
    },
    { q: "Which items must be verified again?", answer: ["203, 204 and 388"], kind: "todo" },
    { q: "What did the operator say last about the machines?", answer: ["enc-b[\\s\\S]{0,40}?until Friday"], kind: "recent" },
    { q: "From which VMAF on is an item accepted?", answer: ["VMAF[\\s\\S]{0,20}?at least 93"], kind: "fact" },
  ],
  context: {
    job: {
      id: "arch-av1-07",
      title: "812 tape masters to AV1 in MKV, for the reading room of the museum",
      due: "delivery on 30 June, disks are collected in the morning",
      input: "/vault",
      output: "/out/av1",
      scratch: "/scratch",
      ordered_by: "collections dept., Roel",
    },
    cursor: 561,
    total: 812,
    counters: {
      ok: 556,
      failed: 1,
      recheck: 3,
      skipped: 1,
      pending: 251,
      retries: 79,
      bytes_in: 41288190027776,
      bytes_out: 3920117760512,
      avg_speed: 0.83,
    },
    settings: {
      codec: "libsvtav1",
      preset: 5,
      crf: 24,
      audio: "copy",
      container: "mkv",
      history: [
        { from_item: 1, preset: 8, crf: 28, why: "first guess, speed" },
        {
          from_item: 300,
          preset: 5,
          crf: 24,
          why: "Roel saw film grain smeared to plastic with preset 8; from item 300 on preset 5, crf 24. He accepts 1 to 299 as they are, do not redo them",
        },
      ],
      accept: "an item is accepted with a VMAF of at least 93 against the master, sampled 3 x 60 s",
      max_tries: 3,
    },
    rules: [
      "Never write to or delete anything under /vault: these are the only copies of the masters. Mount is rw for historical reasons.",
      "From 07:00 to 19:00 not more than two encoders at the same time, since playout reads from the same storage. At night three.",
      "One b3sum per finished file, appended to /out/av1/SUMS.",
      "A file that fails three times is put aside, the loop goes on.",
    ],
    messages: [
      { t: "06-02 08:55", from: "wanda", text: "started, all three machines visible" },
      { t: "06-05 17:20", from: "roel", text: "reading room screens are 4:3, please keep the pillarbox off" },
      { t: "06-09 10:02", from: "roel", text: "118 is a blank tape, just leave it out" },
      {
        t: "06-12 23:41",
        from: "agent",
        text: "tape library reports other sums for 203, 204 and 388 than SUMS. Could be the copy or mine; set to recheck, to be verified again from the output file when the disks are idle.",
      },
      {
        t: "06-17 06:32",
        from: "wanda",
        text: "morning. enc-b is away for a new power supply until Friday, so only enc-a and enc-c please. rest unchanged. coffee machine also broken :(",
      },
    ],
    failing: {
      item: 547,
      file: "/vault/umatic/T0547_local_1986.mov",
      tries: 3,
      last_command:
        "ffmpeg -nostdin -i /vault/umatic/T0547_local_1986.mov -map 0 -c:v libsvtav1 -preset 5 -crf 24 -c:a copy /scratch/T0547.mkv",
      stderr_tail:
        many(
          9002,
          160,
          (index, _pick, whole) =>
            `frame=${61000 + index * 4} fps=${(18 + whole(40) / 10).toFixed(1)} q=24.0 size=${190000 + index * 37}KiB time=00:4${index < 90 ? 0 : 1}:${String(Math.floor((index % 90) / 1.5)).padStart(2, "0")}.${whole(90) + 10} bitrate=${640 + whole(90)}.${whole(10)}kbits/s speed=0.${70 + whole(20)}x`,
        ).join("\n") +
        "\n[matroska @ 0x55d1] Application provided invalid, non monotonically increasing dts to muxer in stream 1: 118416384 >= 118415360\n[out#0/matroska] Error muxing a packet\nConversion failed! (exit 234)",
      idea: "T0547 one more time by hand, outside of max_tries: -fflags +genpts before the input, and audio not copied but re-encoded with -af aresample=async=1 -c:a flac. If this fails too, set status manual and resume at 562; do not hold up the loop.",
    },
    items: items(),
    log: many(
      9003,
      480,
      (index, pick, whole) =>
        `06-${String(2 + Math.floor(index / 32)).padStart(2, "0")} ${String(whole(24)).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")} ${pick(["enc-a", "enc-b", "enc-c"])} ${pick(["done", "done", "done", "start", "retry", "vmaf sample"])} item ${1 + Math.floor((index * 560) / 480)} ${pick(["scratch 61 % used", "speed 0.8x", "temp 71 C", "queue 1", "ok"])}`,
    ),
    heartbeat: "06-17 06:40",
  },
};

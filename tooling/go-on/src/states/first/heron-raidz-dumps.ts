import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

const smart = (dev: string, serial: string, { realloc, pending }: { readonly realloc: number; readonly pending: number }): string =>
  `root@heron:~ # smartctl -a /dev/${dev}\nsmartctl 7.4 2023-08-01 r5530 [FreeBSD 14.1-RELEASE amd64] (local build)\n\n=== START OF INFORMATION SECTION ===\nModel Family:     Seagate Exos X16\nSerial Number:    ${serial}\nUser Capacity:    8,001,563,222,016 bytes [8.00 TB]\nRotation Rate:    7200 rpm\n\nID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE\n  1 Raw_Read_Error_Rate     0x000f   081   064   044    Pre-fail  Always       -       131204488\n  5 Reallocated_Sector_Ct   0x0033   ${realloc > 100 ? "058" : "100"}   ${realloc > 100 ? "058" : "100"}   010    Pre-fail  Always       -       ${realloc}\n  9 Power_On_Hours          0x0032   061   061   000    Old_age   Always       -       34481\n194 Temperature_Celsius     0x0022   033   049   000    Old_age   Always       -       33\n197 Current_Pending_Sector  0x0012   100   100   000    Old_age   Always       -       ${pending}\n198 Offline_Uncorrectable   0x0010   100   100   000    Old_age   Offline      -       ${pending}\n199 UDMA_CRC_Error_Count    0x003e   200   200   000    Old_age   Always       -       0\n`;

const dmesg = (seed: number, count: number): string =>
  many(seed, count, (_i, pick, whole) =>
    pick([
      `mps0: Controller reported scsi ioc terminated tgt ${whole(12)} SMID ${whole(2000)} loginfo 31110e0${whole(9)}`,
      `(da7:mps0:0:4:0): READ(10). CDB: 28 00 ${whole(90) + 10} ${whole(90) + 10} a0 c8 00 01 00 00`,
      `(da7:mps0:0:4:0): CAM status: ${pick(["SCSI Status Error", "CCB request completed with an error"])}`,
      "(da7:mps0:0:4:0): SCSI sense: MEDIUM ERROR asc:11,0 (Unrecovered read error)",
      "(da7:mps0:0:4:0): Retrying command (per sense data)",
      `ix0: link state changed to ${pick(["UP", "UP", "DOWN"])}`,
      `pid ${2000 + whole(60000)} (smbd), jid 0, uid ${1000 + whole(400)}: exited on signal ${pick([6, 11])}`,
      `nfsd: can't register svc name, retry ${whole(5)}`,
    ]),
  ).join("\n");

const zlist = many(603, 96, (_i, pick, whole) => {
  const who = pick(["mlee", "aoki", "garza", "stolz", "nwosu", "petit", "larsen", "quist", "ferro", "dunn", "rao", "weiss"]);
  return (
    `tank/${pick(["home", "home", "projects", "archive", "scratch"])}/${who}@2025-08-${String(1 + whole(24)).padStart(2, "0")}`.padEnd(44) +
    `${(whole(9000) / 100).toFixed(2)}G`.padStart(8) +
    "      -" +
    `${whole(900)}G`.padStart(8) +
    "  -"
  );
}).join("\n");

const status = (pct: number): string => `root@heron:~ # zpool status -v tank
  pool: tank
 state: DEGRADED
status: One or more devices is currently being resilvered.
  scan: resilver in progress since Mon Aug 25 19:02:11 2025
        38.1T / 53.6T scanned at 1.02G/s, ${pct}% done, 04:${pct === 71 ? "12" : "58"}:40 to go
config:

        NAME                      STATE     READ WRITE CKSUM
        tank                      DEGRADED     0     0     0
          raidz2-0                DEGRADED     0     0     0
${Array.from({ length: 12 }, (_, i) => (i === 11 ? "            replacing-11          DEGRADED     0     0     0\n              da14/old            OFFLINE      0     0     0\n              da18                ONLINE       0     0     0  (resilvering)" : `            da${3 + i}                   ONLINE     ${i === 4 ? " 41     0   212" : "  0     0     0"}`)).join("\n")}

errors: Permanent errors have been detected in the following files:

        tank/home@2025-08-11:/mlee/thesis/ch4.tex
`;

/** A system administrator's assistant with raw terminal output and a mail thread, stopped while a storage pool rebuilds its first replaced disk. */
export const state: WorkingState = {
  name: "heron-raidz-dumps",
  language: "en",
  kind: "system administration; raw terminal dumps and a mail thread as strings",
  focus: "watch the rebuild, then replace the second disk",
  human:
    "File server heron, pool tank (12 disks, raidz2) back to ONLINE with two bad disks replaced before term starts on 2 September. Never run zpool clear: the vendor needs the error counters for the warranty case. Do not reboot heron until Priya has moved the FlexLM licence off it. Agreed (option B): replace disks one at a time, no send/recv to a new box. Slot 11 is resilvering, 71% done. Only when that has finished: zpool offline da7 (slot 4, serial ZJV2K9QX), put in the spare WKD0041P, zpool replace; after that a scrub. One damaged file: /mlee/thesis/ch4.tex, restore it from borg archive heron-2025-08-10. Still to do: open an RMA with the vendor for both disks, needs the smartctl output. Newest mail (Colm): power works in room C on Saturday 06:00 to 08:00, no resilver may be running then, so start da7 by Thursday evening or wait until Sunday.",
  questions: [
    { q: "What is the job and the deadline?", kind: "goal", answer: ["heron", "(?:2 Sep|Sep(?:tember)? 2\\b)"] },
    {
      q: "Which zpool command is taboo?",
      kind: "prohibition",
      answer: [
        "(?:[Nn]ever|NEVER|[Dd]o not|[Dd]o NOT|[Dd]on't|not)[\\s\\S]{0,60}?zpool clear|zpool clear[\\s\\S]{0,80}?(?:never|not|forbidden)",
      ],
    },
    {
      q: "What must wait for Priya?",
      kind: "prohibition",
      answer: [
        "(?:[Dd]o not|[Dd]on't|[Nn]o|[Nn]ever) reboot[\\s\\S]{0,120}?(?:Priya|FlexLM|licen[cs]e)|(?:Priya|FlexLM)[\\s\\S]{0,120}?(?:not|no|don't|never) reboot",
      ],
    },
    {
      q: "Which way of replacing was agreed?",
      kind: "decision",
      answer: ["one (?:disk )?(?:at a time|by one|after the other)|one disk after", "[Oo]ption B"],
    },
    { q: "Which file is damaged?", kind: "error", answer: ["mlee/thesis/ch4\\.tex"] },
    { q: "Where does that file come back from?", kind: "fact", answer: ["heron-2025-08-10"] },
    { q: "Which disk goes next?", kind: "next", answer: ["offline (?:tank )?da7", "ZJV2K9QX"] },
    { q: "Which spare goes in, and what then?", kind: "next", answer: ["WKD0041P", "scrub"] },
    { q: "What is open with the vendor?", kind: "todo", answer: ["RMA[\\s\\S]{0,80}?(?:both|smartctl)"] },
    {
      q: "When must no rebuild be running?",
      kind: "recent",
      answer: ["Saturday[\\s\\S]{0,120}?(?:06:00|6:00|6 )|(?:06:00|6:00)[\\s\\S]{0,120}?Saturday"],
    },
  ],
  context: {
    host: "heron",
    opened: "2025-08-25",
    tty1: `root@heron:~ # uptime\n 6:51PM  up 212 days,  3:14, 4 users, load averages: 1.22, 1.40, 1.38\n${smart("da14", "ZJV2H11C", { realloc: 2384, pending: 96 })}\n${smart("da7", "ZJV2K9QX", { realloc: 412, pending: 41 })}\n${smart("da3", "ZJV2K77M", { realloc: 0, pending: 0 })}\nroot@heron:~ # dmesg | tail -n 160\n${dmesg(601, 160)}\nroot@heron:~ # zpool offline tank da14\nroot@heron:~ # zpool replace tank da14 da18\n`,
    tty2: `${status(43)}\nroot@heron:~ # zfs list -t snapshot -o name,used,avail,refer,mountpoint | tail -n 96\n${zlist}\nroot@heron:~ # borg list /backup/borg | tail -n 6\nheron-2025-08-06                     Wed, 2025-08-06 02:00:12\nheron-2025-08-08                     Fri, 2025-08-08 02:00:10\nheron-2025-08-10                     Sun, 2025-08-10 02:00:11\nheron-2025-08-12                     Tue, 2025-08-12 02:00:13\nheron-2025-08-14                     Thu, 2025-08-14 02:00:09\nheron-2025-08-16                     Sat, 2025-08-16 02:00:12\n# note to self: ch4.tex was already bad on the 12th (checked, short file). last good one is in heron-2025-08-10. restore to /tank/home/mlee/RESTORED, not over the live file\n`,
    mail: `From: Greta (head of IT)
To: ops
Date: Mon, 25 Aug 2025 16:40
Subject: heron

Hello,
two disks in heron are going. Please get tank back to ONLINE with both replaced before term starts, that is 2 September, because the first-year homes are created that morning. You have two spares in the cupboard.
Greta

---
From: Colm
Date: Mon, 25 Aug 2025 17:05
Subject: Re: heron

> two disks in heron are going

options as I see them:
A) build the new box now and send/recv everything over, 53 T, five days if nothing goes wrong
B) replace in place, one disk at a time, wait for the resilver in between
I lean to A because the box is paid for. Also, whoever does it: do NOT run zpool clear, the warranty people want to see the error counters as they are, they refused us last time.
Colm

---
From: Greta
Date: Mon, 25 Aug 2025 17:31
Subject: Re: Re: heron

> I lean to A

No. Option B, slot 11 first, it is the worse one. A can be done in the autumn break.
Greta

---
From: Priya
Date: Tue, 26 Aug 2025 08:20
Subject: Re: Re: heron (licences!)

hi all, heron still hosts the FlexLM server for the whole engineering floor and it is tied to that MAC. please do not reboot heron until I have moved the licence, the vendor promised me the new file "this week" whatever that means. I'll write to this thread when it's done.
P.

---
From: Greta
Date: Tue, 26 Aug 2025 09:02
Subject: Re: Re: heron (licences!)

Fine. And somebody open an RMA for both disks please, with the smartctl output attached, they will ask for it anyway. Nobody has done that yet as far as I can see.
Greta

---
From: Colm
Date: Wed, 27 Aug 2025 10:15
Subject: power in room C

facilities just told me (thanks for the notice...) that they work on the feed of room C on Saturday 06:00-08:00. UPS should carry it but I don't trust it: no resilver running during that time please. so either the second disk goes in by Thursday evening or it waits until Sunday.
Colm
`,
    tty3_latest: `${status(71)}\nroot@heron:~ # date\nWed Aug 27 10:31:50 BST 2025\nroot@heron:~ # dmesg | tail -n 40\n${dmesg(602, 40)}\n`,
    scratch:
      "slot map: slot 4 = da7 = ZJV2K9QX, slot 11 = da14 (out). spare 1 went into slot 11 (da18), spare 2 = WKD0041P still in the cupboard.\nwhen slot 11 is through: zpool offline tank da7, swap, zpool replace tank da7 <new>, wait, then zpool scrub tank.\ndo not pull by LED, the locate LED of slot 4 lights slot 5 (backplane wired wrong)",
  },
};

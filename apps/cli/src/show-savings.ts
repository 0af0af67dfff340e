import { escapeText } from "@workrail/process";
import { type HostSavings, readSavings, type Resumes, type Savings } from "@workrail/runtime";
import { formatAge } from "./format-age.ts";
import { note, outputWidth, styled, writeData, writeJson } from "./print.ts";
import { type Column, renderTable } from "./render-table.ts";
import { settingArgs } from "./setting-options.ts";
import { type GlobalOptions, lookIntoStore } from "./with-store.ts";

interface SavingsOptions extends GlobalOptions {
  readonly session?: string;
  readonly allProjects?: true;
  readonly since?: string;
}

/** Prints `workrail stats --savings`: the use of automatic saves and resumes. */
export async function showSavings(options: SavingsOptions): Promise<void> {
  const library = await import("./library/saving.ts");
  const { dataDir, values } = library.readConfiguration({ env: process.env, args: settingArgs(options) });
  const project = options.allProjects === true ? undefined : (values.project ?? library.findProject(process.cwd()));
  const now = new Date();
  const asked = { dataDir, project, now, since: options.since, sessionId: options.session };
  const found = await lookIntoStore(options, (store) => readSavings(store, asked));
  if (options.json) return writeJson(found);
  if (found.resumes + found.savesByHooks + found.savesByOthers === 0)
    return note(`Nothing was saved or resumed since ${found.since}; --all-projects includes all projects.`);
  await writeData(forPeople(found, now));
}

function forPeople(savings: Savings, now: Date): string {
  const { since, logSince, savesByHooks, savesByOthers, hosts } = savings;
  const { header, lines } = renderTable(columns(now), hosts, outputWidth());
  const text = [
    `Since ${since}:`,
    `Saves in the store: ${count(savesByHooks)} by hooks, ${count(savesByOthers)} by agents and people.`,
    `Resumes by hooks: ${count(savings.resumes)}${tokensOf(savings)}.`,
    ...(logSince !== undefined && logSince > since ? [`The log of the hooks begins at ${logSince}.`] : []),
    ...(hosts.length === 0 ? [] : ["", styled("bold", header, process.stdout), ...lines]),
  ];
  return `${text.join("\n")}\n`;
}

function tokensOf({ resumes, packTokensEstimated, transcriptTokensEstimated }: Resumes): string {
  if (resumes === 0) return "";
  return `, with packs of about ${count(packTokensEstimated)} tokens in place of transcripts of about ${count(transcriptTokensEstimated)} (estimates)`;
}

function columns(now: Date): readonly Column<HostSavings>[] {
  return [
    { title: "AGENT", stays: true, cell: ({ host }) => escapeText(host) },
    {
      title: "LAST SAVE",
      align: "right",
      cell: ({ lastSaveAt }) => (lastSaveAt === undefined ? "" : formatAge(new Date(lastSaveAt), now)),
    },
    { title: "SAVES", align: "right", cell: ({ saves }) => count(saves) },
    { title: "RESUMES", align: "right", cell: ({ resumes }) => count(resumes) },
    { title: "PACK TOKENS", align: "right", cell: ({ packTokensEstimated }) => `~${count(packTokensEstimated)}` },
    { title: "TRANSCRIPT TOKENS", align: "right", cell: ({ transcriptTokensEstimated }) => `~${count(transcriptTokensEstimated)}` },
  ];
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}

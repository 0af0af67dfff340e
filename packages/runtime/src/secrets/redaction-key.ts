import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { nodeFileSystem, REDACTION_KEY, writeDurably } from "@workrail/blob-files";
import type { Log, Sealer } from "@workrail/core";
import { type TextSealing, textSealing } from "../sealing/text-sealing.ts";

const KEY = /^[0-9a-f]{64}$/;

interface KeyPlace {
  /** Absent when the store has no directory; the key then lives as long as the process. */
  readonly dataDir: string | undefined;
  readonly texts: TextSealing;
  readonly log: Log;
}

/**
 * Returns the key, in hexadecimal, that tags of secrets are computed with. Created on first use, and shared by all processes of the store.
 * When the key cannot be stored it belongs to this process, and placeholders change after a restart.
 */
export async function redactionKey({ dataDir, texts, log }: KeyPlace): Promise<string> {
  const fresh = randomBytes(32).toString("hex");
  if (dataDir === undefined) return fresh;
  const file = path.join(dataDir, REDACTION_KEY);
  const there = await readKey(file, texts);
  if (there !== undefined) return there;
  try {
    if (await writeDurably(nodeFileSystem, file, { bytes: Buffer.from(`${texts.seal(fresh)}\n`), mode: "if-absent" })) return fresh;
    // Another process created the key first.
    const theirs = await readKey(file, texts);
    if (theirs !== undefined) return theirs;
    log.warn("placeholders for secrets will change after a restart: their key file holds something else", { path: file });
  } catch (error) {
    log.warn("placeholders for secrets will change after a restart: their key cannot be stored", { path: file, error });
  }
  return fresh;
}

/** Converts the key file together with the rest of the store. Idempotent. */
export async function convertRedactionKey(
  dataDir: string,
  { from, to }: { readonly from: Sealer | undefined; readonly to: Sealer | undefined },
): Promise<void> {
  const file = path.join(dataDir, REDACTION_KEY);
  const key = await readKey(file, textSealing(from));
  if (key === undefined) return;
  await writeDurably(nodeFileSystem, file, { bytes: Buffer.from(`${textSealing(to).seal(key)}\n`), mode: "replace" });
}

async function readKey(file: string, texts: TextSealing): Promise<string | undefined> {
  const key = texts.open((await fs.promises.readFile(file, "utf8").catch(() => "")).trim());
  return key !== undefined && KEY.test(key) ? key : undefined;
}

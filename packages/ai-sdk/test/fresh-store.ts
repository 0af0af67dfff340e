import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OpenOptions, openWorkrail, type Workrail } from "@workrail/runtime";
import { onTestFinished } from "vitest";

/** Opens a store that is closed after the test. */
export async function freshStore(dataDir: string = freshFolder(), settings: OpenOptions["settings"] = {}): Promise<Workrail> {
  const store = await openWorkrail({ dataDir, env: {}, project: dataDir, settings });
  onTestFinished(() => store.close());
  return store;
}

/** Creates a folder that is removed after the test. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "workrail-ai-sdk-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

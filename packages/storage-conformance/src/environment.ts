import { createHash, randomUUID } from "node:crypto";
import type { CheckpointId, Digest, Digester, IdGenerator, SessionId } from "@workrail/core";

export const sha256: Digester = { sha256: (data) => createHash("sha256").update(data).digest("hex") as Digest };

export const randomIds: IdGenerator = {
  sessionId: () => randomUUID() as SessionId,
  checkpointId: () => randomUUID() as CheckpointId,
};

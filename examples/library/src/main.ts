import { openWorkrail } from "@workrail/runtime";

const store = await openWorkrail();

const { checkpointId } = await store.saveCheckpoint({
  sessionId: "release-notes",
  context: { goal: "Write the release notes", done: ["collect changes"], next: "draft" },
  metadata: { name: "changes collected", tags: ["docs"] },
});

const { context, metadata } = await store.loadCheckpoint({ sessionId: "release-notes" });
console.log(metadata.id === checkpointId, metadata.name, context);

await store.close();

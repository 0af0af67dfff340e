// Claims a job, reports it, and works on it forever. Usage: node claim-then-hang.ts TENANT LEASE_MS
import { openPostgres } from "@workrail/postgres";
import { TEST_URL } from "./server-harness.ts";

const [tenant = "", leaseMs = ""] = process.argv.slice(2);
const storage = await openPostgres({ url: process.env[TEST_URL] ?? "", tenant, leaseMs: Number(leaseMs) });
await storage.claimJob?.("clean up", async () => {
  process.stdout.write("claimed\n");
  await new Promise((resolve) => setTimeout(resolve, 3_600_000));
});

import { createTeamDatabase, noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useCli } from "./testing/use-cli.ts";

const missing = noPostgres();
const cli = useCli();

describe.skipIf(missing !== undefined)(`a store in PostgreSQL${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
  });
  afterAll(() => server.destroy());

  it("gets its tables by `migrate`, and is used by commands", async () => {
    // The server of the test asks for no password.
    const store = server.url().replace("postgres@", "postgres:opensesame@");
    const env = { WORKRAIL_STORE: store };
    const early = await cli.run(["list"], { env });
    expect([early.code, early.stderr]).toEqual([17, expect.stringContaining("workrail migrate")]);
    expect(await cli.run(["migrate"], { env })).toEqual({
      code: 0,
      stdout: `${server.url()}\n`,
      stderr:
        "Applied: 0001-initial, 0002-row-security, 0004-search, 0005-audit-subject, 0006-keys, 0007-tenant-names, 0008-jobs, 0009-attributes, 0010-search-blocks.\n",
    });
    expect(await cli.json(["migrate", "--store", store])).toEqual({ store: server.url(), applied: [] });

    const id = (await cli.output(["save", "--session", "shop"], { env, input: '{"buy":"milk"}' })).trim();
    expect(JSON.parse(await cli.output(["load", "--checkpoint", id], { env }))).toEqual({ buy: "milk" });
    const told = ["status", "doctor", "config list"].map((line) => cli.output(line.split(" "), { env }));
    const [status = "", ...others] = await Promise.all(told);
    expect(status).toMatch(/^Store: a PostgreSQL database \(disk, postgres\)\.\nCheckpoints: 1, /u);
    expect([status, ...others].join("")).not.toContain("opensesame");
  });

  it("does the work of every tenant as a user whom row-level security holds, whatever happens to one", async () => {
    const { owner, user } = await createTeamDatabase(server);
    await cli.output(["migrate", "--store", owner]);
    const env = { WORKRAIL_STORE: user };
    for (const tenant of ["acme", "default", "sealed"])
      await cli.output(["save", "--session", "shop", "--tenant", tenant], { env, input: JSON.stringify({ of: tenant }) });
    const key = { WORKRAIL_ENCRYPTION_KEY: "4".repeat(64) };
    await cli.output(["encrypt", "--tenant", "sealed"], { env: { ...env, ...key } });
    const all = await cli.run(["upkeep", "--once", "--all-tenants", "--verify", "--json"], { env });
    expect(all.code).toBe(12);
    expect(all.stderr).toContain("KEY_UNAVAILABLE");
    const { tenants } = JSON.parse(all.stdout) as { tenants: { tenant: string; report: { verified: { checkpoints: number } } }[] };
    expect(tenants.map(({ tenant, report }) => [tenant, report.verified.checkpoints])).toEqual([
      ["acme", 1],
      ["default", 1],
    ]);
    const told = await cli.run(["upkeep", "--once", "--all-tenants"], { env: { ...env, ...key } });
    expect([told.code, told.stdout.match(/^Tenant .*:$/gmu)]).toEqual([0, ["Tenant acme:", "Tenant default:", "Tenant sealed:"]]);
    expect(await cli.run(["upkeep", "--once", "--all-tenants"])).toMatchObject({ code: 2 });
  });
});

export { DEFAULT_TENANT, openPostgres, type PostgresOptions } from "./open-postgres.ts";
export { listTenants } from "./list-tenants.ts";
export { migrate, type MigrationReport } from "./migrate.ts";

export { describePlantedCaches } from "./describe-planted-caches.ts";
export { HOSTILE_PROJECTS, type HostilePlace, makeHostile, NEVER_TOLD, OWN_WORDS } from "./hostile-projects.ts";
export { fillLevels, HAS_SMALL_DISK, loseCatalog, SmallDisk } from "./small-disk.ts";
export { createTeamDatabase, freePort, noPostgres, type PostgresServer, startPostgres, type TeamDatabase } from "./postgres-server.ts";
export { RoundRobin } from "./round-robin.ts";
export { type KeyAndCertificate, selfSignedCertificate } from "./self-signed-certificate.ts";
export { snapshotOf } from "./snapshot-of.ts";
export { tally } from "./tally.ts";
export { timeToEnd } from "./time-to-end.ts";

/** Where the driver is found, from the file that loads it. A bundled program replaces this module, because it brings the driver with it. */
export const BETTER_SQLITE3 = "better-sqlite3";

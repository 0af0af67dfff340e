import { defineConfig } from "vitest/config";

const conditions = ["@workrail/source", "module", "node", "development|production"];

export default defineConfig({
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: { include: ["test/*.suite.ts"], pool: "forks", testTimeout: 120_000 },
});

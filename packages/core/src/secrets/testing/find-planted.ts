import type { FindSecrets } from "../../ports/secret-scanner.ts";

const PLANTED = /ghp_\w{36}|-----BEGIN PRIVATE KEY-----[^]*?-----END PRIVATE KEY-----/gu;

/** Finds tokens of GitHub and private keys, for tests of code that is given a way to find secrets. */
export const findPlanted: FindSecrets = (text) =>
  [...text.matchAll(PLANTED)].map(({ index: start, 0: secret }) => ({
    ...(secret.startsWith("ghp_")
      ? ({ rule: "github-token", kind: "TOKEN" } as const)
      : ({ rule: "private-key", kind: "PRIVATE_KEY" } as const)),
    start,
    end: start + secret.length,
  }));

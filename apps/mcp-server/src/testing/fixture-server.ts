import process from "node:process";
import type { Adapter } from "../adapter.ts";
import type { HttpSettings } from "../http/http-settings.ts";
import { createLog, type LogLevel } from "../log.ts";
import { serveStdio } from "../serve-stdio.ts";
import { FIXTURE_ICONS, fixtureNote, fixtureTools } from "./fixture-tools.ts";

const ADAPTERS: Readonly<Record<string, () => Promise<Adapter>>> = {
  v1: async () => (await import("../sdk-v1-server.ts")).serveSdkV1,
  v2: async () => (await import("../sdk-v2-server.ts")).serveSdkV2,
};
const { FIXTURE_ADAPTER: adapter = "", FIXTURE_HTTP: http, FIXTURE_PATIENCE: patience = "{}", WORKRAIL_LOG_LEVEL: level } = process.env;
const { FIXTURE_MAX_MESSAGE_BYTES: maxMessageBytes } = process.env;
/** True: offers the tools of the conformance suite instead of the fixture tools. */
const isConformance = process.env["FIXTURE_OFFER"] === "conformance";
const adapterFor = ADAPTERS[adapter];

// A process with the fixture tools, for tests that need a real process.
const served = {
  name: "fixture",
  title: "Fixture",
  version: "1.2.3",
  icons: FIXTURE_ICONS,
  instructions: "Use echo to hear yourself.",
  tools: fixtureTools,
  resources: [fixtureNote],
  log: createLog(level as LogLevel | undefined),
  close: [() => void process.stderr.write("closed\n")],
};
if (http === undefined) {
  const limit = maxMessageBytes === undefined ? {} : { maxMessageBytes: Number(maxMessageBytes) };
  serveStdio({ ...served, ...limit, ...(adapterFor === undefined ? {} : { adapterFor }) });
} else await serveOverHttp(http);

/** @param given settings that differ from those of a server on this machine without tokens, as JSON. */
async function serveOverHttp(given: string): Promise<void> {
  const { handlerV2, serveHttp } = await import("../http/serve-http.ts");
  const { handlerV1 } = await import("./handler-v1.ts");
  const { conformanceOffer } = await import("./conformance-offer.ts");
  const handler = adapter === "v1" ? handlerV1 : handlerV2;
  const offer = conformanceOffer(served.log);
  const { issuer, url, ...rest } = JSON.parse(given) as Partial<HttpSettings>;
  const settings = {
    host: "127.0.0.1",
    port: 0,
    hosts: [],
    origins: [],
    tokenFile: undefined,
    requestsAMinute: 0,
    ...rest,
    url: url === undefined ? undefined : new URL(url),
    issuer: issuer === undefined ? undefined : new URL(issuer),
  };
  const address = await serveHttp({
    ...served,
    settings,
    maxBodyBytes: 1024 * 1024,
    offeredTo: () => served,
    use: () => () => {},
    isReady: async () => {},
    patience: JSON.parse(patience) as object,
    createHandler: (offerFor, options) => handler(isConformance ? () => offer : offerFor, options),
  });
  process.stderr.write(`serves ${address.href}\n`);
}

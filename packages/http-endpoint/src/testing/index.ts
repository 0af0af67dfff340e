export { closeEndpoints, openEndpoint } from "./local-endpoint.ts";
export type { Answer, LocalEndpoint, SeenRequest } from "./local-endpoint.ts";

export { askEndpoint, notAnAnswer } from "./ask-endpoint.ts";
export type { Endpoint } from "./ask-endpoint.ts";
export { retryAfterMs } from "./retry-after.ts";
export { retry } from "./retry.ts";
export type { Tries } from "./retry.ts";

export { askEndpoint, notAnAnswer } from "./ask-endpoint.ts";
export type { Endpoint } from "./ask-endpoint.ts";
export { retryAfterMs } from "./retry-after.ts";
export { tryAgain } from "./try-again.ts";
export type { Tries } from "./try-again.ts";

export { askEndpoint, notAnAnswer } from "./ask-endpoint.ts";
export type { Endpoint } from "./ask-endpoint.ts";

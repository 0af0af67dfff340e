export { S3Server, type S3ServerOptions } from "./s3-server.ts";
export { type ChooseFault, SERVER_FAULTS, type ServerFault } from "./server-fault.ts";
export type { Operation, S3Request } from "./s3-request.ts";

export { withBlobsInS3 } from "./with-blobs-in-s3.ts";
export type { BlobsInS3Options } from "./with-blobs-in-s3.ts";
export { readS3Place } from "./s3-place.ts";
export type { S3Place } from "./s3-place.ts";
export { credentialsFromEnvironment } from "./s3-credentials.ts";
export type { GetCredentials, S3Credentials } from "./s3-credentials.ts";

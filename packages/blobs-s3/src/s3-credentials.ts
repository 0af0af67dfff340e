import { invalidInput } from "@workrail/core";

/** Keys that sign requests. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Token of temporary credentials. */
  readonly sessionToken?: string | undefined;
}

/** Returns the current credentials. Asked before each request, so cache them until they expire. */
export type GetCredentials = () => S3Credentials | Promise<S3Credentials>;

/**
 * Reads the credentials in AWS's variables.
 *
 * @throws INVALID_INPUT when one of them is missing.
 */
export function credentialsFromEnvironment(environment: Readonly<Record<string, string | undefined>>): S3Credentials {
  const [accessKeyId, secretAccessKey] = [environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"]];
  const hint = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN for temporary credentials.";
  if (!accessKeyId) throw invalidInput("AWS_ACCESS_KEY_ID", "The object storage needs credentials: AWS_ACCESS_KEY_ID is not set.", hint);
  if (!secretAccessKey) {
    throw invalidInput("AWS_SECRET_ACCESS_KEY", "The object storage needs credentials: AWS_SECRET_ACCESS_KEY is not set.", hint);
  }
  return { accessKeyId, secretAccessKey, sessionToken: environment["AWS_SESSION_TOKEN"] || undefined };
}

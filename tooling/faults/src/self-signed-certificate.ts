import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";

/** A private key and its certificate, in PEM. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly cert: string;
}

/** Tags of ASN.1. */
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;

const ECDSA_WITH_SHA256 = tagged(SEQUENCE, tagged(OBJECT_ID, Buffer.from("2a8648ce3d040302", "hex")));
const COMMON_NAME = tagged(OBJECT_ID, Buffer.from("550403", "hex"));
const SUBJECT_ALT_NAME = tagged(OBJECT_ID, Buffer.from("551d11", "hex"));
const BASIC_CONSTRAINTS = tagged(OBJECT_ID, Buffer.from("551d13", "hex"));
const TRUE = Buffer.from("0101ff", "hex");
const VERSION_3 = tagged(0xa0, tagged(INTEGER, Buffer.from([2])));

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Makes a certificate that is its own authority, valid from yesterday until tomorrow.
 *
 * @param hosts names and IPv4 addresses of the server.
 */
export function selfSignedCertificate(hosts: readonly string[]): KeyAndCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = tagged(SEQUENCE, tagged(SET, tagged(SEQUENCE, COMMON_NAME, tagged(UTF8_STRING, Buffer.from("test")))));
  const now = Date.now();
  const content = tagged(
    SEQUENCE,
    VERSION_3,
    tagged(INTEGER, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    name,
    tagged(SEQUENCE, timeOf(now - DAY_MS), timeOf(now + DAY_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(
      0xa3,
      tagged(
        SEQUENCE,
        tagged(SEQUENCE, BASIC_CONSTRAINTS, TRUE, tagged(OCTET_STRING, tagged(SEQUENCE, TRUE))),
        tagged(SEQUENCE, SUBJECT_ALT_NAME, tagged(OCTET_STRING, tagged(SEQUENCE, ...hosts.map(hostName)))),
      ),
    ),
  );
  const signature = tagged(BIT_STRING, Buffer.from([0]), sign("sha256", content, privateKey));
  const der = tagged(SEQUENCE, content, ECDSA_WITH_SHA256, signature);
  const lines = der.toString("base64").replaceAll(/.{64}/gu, "$&\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function hostName(host: string): Buffer {
  return isIP(host) === 4 ? tagged(0x87, Buffer.from(host.split(".").map(Number))) : tagged(0x82, Buffer.from(host));
}

function timeOf(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/\D/gu, "").slice(2, 14);
  return tagged(UTC_TIME, Buffer.from(`${digits}Z`));
}

/** Encodes parts under a tag, with their length. */
function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
  const head = length < 0x80 ? [tag, length] : [tag, 0x80 + bytes.length, ...bytes];
  return Buffer.concat([Buffer.from(head), content]);
}

import type { SettingValues } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import { type HttpSettings, httpSettingsOf } from "./http-settings.ts";

function settings(given: Partial<SettingValues>): HttpSettings {
  return httpSettingsOf({ httpRateLimit: 600, ...given } as SettingValues);
}

describe("settings of the HTTP server", () => {
  it.each([
    ["127.0.0.1:8377", "127.0.0.1", 8377],
    ["8377", "127.0.0.1", 8377],
    ["localhost:0", "localhost", 0],
    ["[::1]:80", "::1", 80],
  ])("listen at %s", (http, host, port) => {
    expect(settings({ http })).toMatchObject({ host, port });
  });

  it.each(["", "foo", "127.0.0.1", "127.0.0.1:", "a:b:1", "1.2.3.4:65536", "http://127.0.0.1:80", "::1:80"])(
    "refuse to listen at %j",
    (http) => {
      expect(() => settings({ http })).toThrow("http must be host:port or a port");
    },
  );

  it.each(["0.0.0.0:80", "[::]:80", "192.168.0.1:80", "example.com:80", "127.0.0.1.example.com:80"])(
    "let others reach %s only with tokens",
    (http) => {
      expect(() => settings({ http })).toThrow("callers must prove who they are");
      expect(settings({ http, httpTokenFile: "/tokens" }).tokenFile).toBe("/tokens");
      expect(settings({ http, httpIssuer: "https://issuer.example", httpUrl: "https://mcp.example/mcp" }).issuer?.href).toBe(
        "https://issuer.example/",
      );
    },
  );

  it("allow the host of the address, of the server, and those named", () => {
    const { hosts, origins } = settings({
      http: "10.0.0.1:80",
      httpTokenFile: "/tokens",
      httpUrl: "https://mcp.example/mcp",
      httpHosts: "One.example, two.example",
      httpOrigins: "app.example",
    });
    expect(hosts).toEqual(["mcp.example", "10.0.0.1", "one.example", "two.example"]);
    expect(origins).toEqual(["mcp.example", "app.example"]);
    expect(settings({ http: "0.0.0.0:80", httpTokenFile: "/tokens" }).hosts).toEqual([]);
    expect(settings({ http: "[::1]:80" }).hosts).toEqual(["[::1]"]);
  });

  it("take an issuer only with encryption, and with the address that its tokens are for", () => {
    const issuer = { http: "80", httpUrl: "https://mcp.example/mcp" };
    expect(() => settings({ ...issuer, httpIssuer: "http://issuer.example" })).toThrow("httpIssuer must begin with https");
    expect(settings({ ...issuer, httpIssuer: "http://127.0.0.1:9000/realm" }).issuer?.pathname).toBe("/realm");
    expect(() => settings({ http: "80", httpIssuer: "https://issuer.example" })).toThrow("httpIssuer needs httpUrl");
    expect(() => settings({ http: "80", httpUrl: "https://mcp.example/" })).toThrow("httpUrl must end with /mcp");
  });
});

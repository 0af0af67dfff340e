import { describe, expect, it } from "vitest";
import { parseGitConfig, remoteOf, remoteUrlOf } from "./git-config.ts";

describe("the name of a remote", () => {
  it.each([
    ["https://example.com/team/app.git", "example.com/team/app"],
    ["https://user:token@Example.COM:8443/team/app.git/", "example.com/team/app"],
    ["https://token@example.com/team/app?private_token=abc#x", "example.com/team/app"],
    ["ssh://git@example.com:22/team/app.git", "example.com/team/app"],
    ["git@example.com:team/app.git", "example.com/team/app"],
    ["user:password@example.com:team/app", "example.com/team/app"],
    ["example.com:/team/app", "example.com/team/app"],
    ["/srv/git/app.git", "/srv/git/app"],
    ["../app.git", "../app"],
    ["C:\\git\\app.git", "C:\\git\\app"],
    ["file:///srv/git/app.git", "/srv/git/app"],
  ])("of %s is %s", (url, remote) => {
    expect(remoteOf(url)).toBe(remote);
  });

  it.each([
    "",
    "ext::sh -c 'echo secret'",
    "https://",
    "codecommit::eu-west-1://profile@app",
    "helper://user:secret@host/x",
    "app\u0000b:c",
  ])("is unknown for %j, which may hold anything", (url) => {
    expect(remoteOf(url)).toBeUndefined();
  });
});

describe("a repository's configuration", () => {
  it("is read with its sections, quotes, comments and continued lines", () => {
    const config = parseGitConfig(
      '[core]\n\tbare = false ; a comment\n[remote "or\\"igin"] url = "https://a/#b" # c\n[Branch "X.y"]\r\n\tRemote = one \\\n two\r\n',
    );
    expect(Object.fromEntries(config)).toEqual({
      "core.bare": "false",
      'remote.or"igin.url': "https://a/#b",
      "branch.X.y.remote": "one  two",
    });
  });

  it("determines the remote: the branch's, else origin, else the only one", () => {
    const one = parseGitConfig('[remote "up"]\nurl = a:1\n');
    expect(remoteUrlOf(one, "main")).toBe("a:1");
    const two = parseGitConfig('[remote "up"]\nurl = a:1\n[remote "origin"]\nurl = b:2\n[branch "main"]\nremote = up\n');
    expect([remoteUrlOf(two, "main"), remoteUrlOf(two, "other"), remoteUrlOf(two, undefined)]).toEqual(["a:1", "b:2", "b:2"]);
    const none = parseGitConfig('[remote "up"]\nurl = a:1\n[remote "down"]\nurl = b:2\n');
    expect(remoteUrlOf(none, "main")).toBeUndefined();
  });
});

import { redact } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { findSecrets } from "./find-secrets.ts";

const found = (text: string): string[] => findSecrets(text).map(({ start, end }) => text.slice(start, end));

describe("passwords passed to programs", () => {
  it.each([
    ["db.internal:5432:orders:app:", "correcthorse", ""],
    ["*:*:*:app:", "S3cretpw", "\n"],
    ["localhost:6432:*:app:", String.raw`a\:b1x9`, "\nother:5432:x:y:$PW"],
    ["# ~/.pgpass\ndb.example.net:7777:a:b:", "hunter2", "\n"],
    ["mysql -u root -p", "hunter2", " shop"],
    ["mysqldump -h db -uroot -p'", "Sesame", "' shop > dump.sql"],
    ["mariadb -h db.example.net \\\n  -u app -p", "Xy12345", " shop"],
    ["mysql -u root --password=", "hunter2", " shop"],
    ["docker login -u me --password ", "tr0ub4dor", " registry.example.net"],
    ["tool --db-password=", "Sesame", ""],
    ["PGPASSWORD=", "hunter2", " psql -h db"],
    ["export MYSQL_PWD='", "Sesame", "'"],
    ["sshpass -p ", "horse", " ssh root@10.0.0.5"],
    ["sshpass -p'", "horse", "' ssh root@10.0.0.5"],
    ["redis-cli -h cache -a ", "sesame1", " ping"],
    ["mongosh -u app -p ", "sesame1", ""],
    ["ldapsearch -D cn=admin -w ", "sesame1", ""],
    ["curl -u admin:", "horsebattery", " https://api.example.net"],
    ["curl -X POST -uadmin:", "hunter2", " https://api.example.net"],
    ["curl -s --user 'me:", "tr0ub4dor", "' https://api.example.net"],
    ["username=bob&password=", "correcthorse", "&remember=1"],
    ["grant_type=password&username=bob&password=", "abcd1", ""],
    ["user%5Bpassword%5D=", "S3cr%26t1", "&commit=Log+in"],
    [String.raw`user=bob\u0026password=`, "hunter2", String.raw`\u0026x=1`],
    ["https://x.example/login?user=bob&pass=", "hunter2", ""],
  ])("are found: %s%s", (before, secret, after) => {
    const text = before + secret + after;
    const inner = JSON.stringify(secret).slice(1, -1);
    expect(found(text)).toEqual([secret]);
    expect(found(JSON.stringify({ text }))).toEqual([inner]);
    expect(found(JSON.stringify(JSON.stringify({ text })))).toEqual([JSON.stringify(inner).slice(1, -1)]);
    expect(redact(`+${text}`, findSecrets)).toEqual({ text: `+${before}[PASSWORD_1]${after}`, secrets: 1 });
  });

  it.each([
    [["mysql", "-u", "root", "-phunter2"], "hunter2"],
    [["sshpass", "-p", "hunter2", "ssh", "host"], "hunter2"],
    [["curl", "-u", "me:hunter2x", "https://x.example"], "hunter2x"],
    [["docker", "login", "--password", "hunter2x"], "hunter2x"],
  ])("are found in the arguments of %j", (args, secret) => {
    expect(found(JSON.stringify({ args }))).toEqual([secret]);
    expect(found(JSON.stringify({ args }, null, 2))).toEqual([secret]);
    expect(found(JSON.stringify({ text: JSON.stringify(args, null, 2) }))).toEqual([secret]);
  });

  it.each([
    "mysql -u root -p shop",
    "mysql -P 3306 -h db -p",
    "docker run -d --name mysql -p3306:3306 mysql:8 && mkdir -pv /var/lib/data1",
    "mysql -u root -p$MYSQL_ROOT_PASSWORD and mysql -p${PW} and mysql -p'<password>'",
    "PGPASSWORD=$PW psql; PGPASSWORD=postgres psql; PGPASSWORD=${PGPASSWORD:-x1y2z3}",
    "sshpass -p $PASS ssh and sshpass -p password ssh and sshpass -f file1",
    "curl -u user:password https://x.example; curl -u $USER:$TOKEN1 https://x.example; curl -u name: https://x.example",
    "--password is required; --password <value>; --password-file ./pw1.txt; --password /run/secrets/db1",
    "The options --user and --password take a name. Use --pass to pass it.",
    "hostname:port:database:username:password",
    "localhost:5432:5432 and 127.0.0.1:5432:mydb and *:*:*",
    "arn:aws:logs:*:*:log-group:/aws/lambda/f1 cpe:2.3:a:vendor:product:1.0:*:*:*:*:*:*:*",
    "at file.js:5432:12 and nobody:*:65534:65534:nobody:/nonexistent:/usr/sbin/nologin",
    "grant_type=password&client_id=app1&scope=all",
    "?password=required&x=1 and &password=$PW&y=1",
    "f(a?e.password=t.password:void 0,b&password=c.password1)",
    "/reset?pass=true&next=1",
  ])("are not taken from: %s", (text) => {
    expect(found(text)).toEqual([]);
    expect(found(JSON.stringify({ text }))).toEqual([]);
  });
});

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type IncomingMessage, type OutgoingHttpHeaders, request as plainRequest } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { TestContext } from "node:test";
import { closeAfter } from "../ending.ts";
import { freePort } from "./free-port.ts";

const NGINX = "/usr/sbin/nginx";
const SHIPPED = join(import.meta.dirname, "..", "..", "..", "deploy", "nginx.conf");
const SITE = "exitability.example.com";

export type Asked = {
  readonly path: string;
  /** Where the caller sits: another loopback address is another caller. */
  readonly from: string;
  readonly headers?: OutgoingHttpHeaders;
  /** GET where it is left out. */
  readonly method?: string;
};

export type ReverseProxy = {
  /** Over TLS; the body is still on its way. */
  readonly ask: (asked: Asked) => Promise<IncomingMessage>;
  /** Without TLS. */
  readonly askPlainly: (path: string) => Promise<IncomingMessage>;
};

/**
 * nginx in front of a service, as deploy/nginx.conf sets it up; only addresses and certificate are the
 * test's own. Null where there is no nginx; on CI that fails.
 */
export async function startReverseProxy(
  t: TestContext,
  serviceUrl: string,
): Promise<ReverseProxy | null> {
  if (!existsSync(NGINX)) {
    assert.ok(process.env.CI === undefined, `no nginx at ${NGINX}`);
    t.skip(`no nginx at ${NGINX}`);
    return null;
  }
  const directory = mkdtempSync(join(tmpdir(), "exitability-nginx-"));
  chmodSync(directory, 0o755); // Its workers run as another user.
  const ca = makeCertificate(directory);
  const [plainPort, tlsPort] = [await freePort(), await freePort()];
  const site = replaceEach(readFileSync(SHIPPED, "utf8"), {
    "listen [::]:80;": "",
    "listen [::]:443 ssl http2;": "",
    "listen 80;": `listen 127.0.0.1:${plainPort};`,
    "listen 443 ": `listen 127.0.0.1:${tlsPort} `,
    "server 127.0.0.1:8080;": `server ${new URL(serviceUrl).host};`,
    [`/etc/letsencrypt/live/${SITE}/`]: `${directory}/`,
  });
  writeFileSync(join(directory, "nginx.conf"), surroundings(directory, site));
  const args = ["-p", directory, "-e", "stderr", "-c", "nginx.conf", "-g", "daemon off;"];
  const nginx = spawn(NGINX, args, { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(nginx, "exit");
  closeAfter(t, async () => {
    nginx.kill("SIGTERM");
    await ended;
    rmSync(directory, { recursive: true, force: true });
  });
  await whenListening(nginx.stderr);
  return {
    async ask({ path, from, headers = {}, method = "GET" }) {
      const where = { host: "127.0.0.1", port: tlsPort, servername: SITE, ca, localAddress: from };
      const asking = request({ ...where, path, headers, method, agent: false }).end();
      const [response] = await once(asking, "response");
      return response;
    },
    async askPlainly(path) {
      const asking = plainRequest({ host: "127.0.0.1", port: plainPort, path, agent: false }).end();
      const [response] = await once(asking, "response");
      return response;
    },
  };
}

/** Resolves when nginx logs the start of its workers. @throws with its output if it ends instead */
async function whenListening(said: Readable): Promise<void> {
  let all = "";
  for await (const chunk of said.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    all += String(chunk);
    if (all.includes("start worker process ")) {
      said.resume();
      return;
    }
  }
  throw new Error(all);
}

/** What a distribution's own nginx.conf has around each site. */
function surroundings(directory: string, site: string): string {
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const temporary = kinds.map((kind) => {
    mkdirSync(join(directory, kind));
    return `${kind}_temp_path ${kind};`;
  });
  const http = ["access_log off;", "gzip on;", ...temporary, site].join("\n");
  return `pid nginx.pid;\nerror_log stderr notice;\nevents {}\nhttp {\n${http}\n}\n`;
}

/** @throws where the text no longer has what is to be replaced */
function replaceEach(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((changed, [from, to]) => {
    assert.ok(changed.includes(from), `nginx.conf has no "${from}"`);
    return changed.replaceAll(from, to);
  }, text);
}

/** A key and a certificate that it signs itself, under the names that nginx.conf has. @returns the latter */
function makeCertificate(directory: string): Buffer {
  const file = (name: string) => join(directory, name);
  const made = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
    ...["-days", "1", "-subj", `/CN=${SITE}`, "-addext", `subjectAltName=DNS:${SITE}`],
    ...["-keyout", file("privkey.pem"), "-out", file("fullchain.pem")],
  ]);
  assert.equal(made.status, 0, String(made.stderr));
  return readFileSync(file("fullchain.pem"));
}

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as send, type IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, onTestFinished } from 'vitest';
import { listening } from './listening.ts';

const given = process.env.KB_TEST_S3_PYTHON;
const PYTHON = given ?? 'python3';
const isThere =
  given !== undefined ||
  spawnSync(PYTHON, ['-c', 'import moto.iam, moto.s3; from moto.moto_server.werkzeug_app import MotoRequestHandler']).status === 0;

/** For tests that need an S3 server: skipped where there is no Python with moto. Where `KB_TEST_S3_PYTHON` names one they fail without it. */
// oxlint-disable-next-line vitest/valid-title, vitest/valid-describe-callback -- name and tests are given where it is called
export const withS3 = describe.runIf(isThere);

if (!isThere)
  process.stderr.write(
    "Tests of object storage are skipped: no Python with moto was found (pip install 'moto[s3]' flask flask-cors in a venv; KB_TEST_S3_PYTHON names its python).\n",
  );

/** Each test of a process has a bucket of its own. */
const MAX_TESTS = 300;

/** moto's S3, one request at a time, as S3 does what belongs to one key. It knows a user that may do everything and one that may only read. */
const SERVER = `
import json, logging, os, sys, threading
from xml.sax.saxutils import escape
from moto import settings
from moto.iam import iam_backends
from moto.s3 import s3_backends
from moto.s3.responses import S3Response
from moto.moto_server.werkzeug_app import MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server

iam = iam_backends['123456789012']['aws']
def user(name, *actions):
    iam.create_user('us-east-1', name)
    document = {'Version': '2012-10-17', 'Statement': [{'Effect': 'Allow', 'Action': actions, 'Resource': '*'}]}
    iam.put_user_policy(name, 'all', json.dumps(document))
    key = iam.create_access_key(name)
    return {'access_key_id': key.access_key_id, 'secret_access_key': key.secret_access_key}
writer, reader = user('writer', 's3:*'), user('reader', 's3:GetObject', 's3:ListBucket')
for number in range(${MAX_TESTS}):
    s3_backends['123456789012']['aws'].create_bucket(f'bucket-{number}', 'us-east-1')
settings.INITIAL_NO_AUTH_ACTION_COUNT = 0

# moto writes each entry of a listing in a tenth of a millisecond, and LanceDB lists all versions of a table: written here, tests take half of the time
serialized = S3Response.serialized
def element(name, value):
    if isinstance(value, list):
        return ''.join(element(name, one) for one in value)
    inside = ''.join(element(*one) for one in value.items()) if isinstance(value, dict) else escape(str(value))
    return f'<{name}>{inside}</{name}>'
def serialized_quickly(response, answer):
    if response.data.get('Action') != 'ListObjectsV2':
        return serialized(response, answer)
    listing = {**answer.result, 'IsTruncated': str(answer.result['IsTruncated']).lower()}
    return 200, {'content-type': 'application/xml'}, element('ListBucketResult', listing)
S3Response.serialized = serialized_quickly

app, lock = create_backend_app('s3'), threading.Lock()
def one_at_a_time(environ, start_response):
    with lock:
        return app(environ, start_response)
logging.getLogger('werkzeug').setLevel(logging.ERROR)
server = make_server('127.0.0.1', 0, one_at_a_time, threaded=True, request_handler=MotoRequestHandler)
print(json.dumps({'port': server.port, 'writer': writer, 'reader': reader}), flush=True)
threading.Thread(target=server.serve_forever).start()
sys.stdin.read()
os._exit(0)
`;

/** A request as the server saw it. */
interface S3Request {
  method: string;
  /** The path with the bucket, and the query. */
  url: string;
  headers: IncomingHttpHeaders;
}

/** What happens to a request: its connection is cut before or after it is done, it fails, it fails although it was done, or it waits (milliseconds). */
export type S3Disturbance = 'cut' | 'cut_after' | 'fail' | 'fail_after' | number;

export interface S3Server {
  /** An address for the test alone. */
  readonly url: string;
  /** storage.options of who may write, and of who may only read. */
  readonly writer: Record<string, string>;
  readonly reader: Record<string, string>;
  /** The requests since it was last asked. */
  counted(): S3Request[];
  /** Says what happens to requests from now on; nothing, without. */
  disturb(how?: (request: S3Request) => S3Disturbance | undefined): void;
}

interface Started extends Record<'writer' | 'reader', Record<string, string>> {
  port: number;
}

let started: Promise<Started> | undefined;
let addresses = 0;

/** One server for all tests of a process. It ends with the process, whose end of the pipe is then closed. */
async function startMoto(): Promise<Started> {
  const server = spawn(PYTHON, ['-c', SERVER], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(server, 'exit').then(() => Promise.reject(new Error(`${PYTHON} does not run moto's S3 server.`)));
  const [line] = (await Promise.race([once(server.stdout, 'data'), ended])) as [Buffer];
  ended.catch(() => {}); // it ends with the tests
  server.unref();
  for (const stream of [server.stdin, server.stdout]) (stream as Socket).unref();
  return JSON.parse(String(line)) as Started;
}

/** Opens the way to an S3 server with a bucket, through a proxy of the test's own that counts and disturbs requests. */
export async function openS3(): Promise<S3Server> {
  const { port, writer, reader } = await (started ??= startMoto());
  const requests: S3Request[] = [];
  let disturbance: (request: S3Request) => S3Disturbance | undefined = () => undefined;
  const proxy = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray());
    const { method = '', url = '', headers } = incoming;
    const what = disturbance({ method, url, headers });
    requests.push({ method, url, headers });
    if (what === 'cut') return incoming.socket.destroy();
    if (what === 'fail') return outgoing.writeHead(503).end();
    if (typeof what === 'number') await wait(what, undefined, { ref: false });
    const upstream = send({ host: '127.0.0.1', port, method, path: url, headers });
    upstream.on('error', () => incoming.socket.destroy());
    upstream.on('response', (answer) => {
      if (what === 'cut_after') return incoming.socket.destroy();
      if (what === 'fail_after') return outgoing.writeHead(500).end();
      answer.pipe(outgoing.writeHead(answer.statusCode!, answer.headers));
    });
    return upstream.end(body);
  });
  const { url: endpoint, close } = await listening(proxy);
  onTestFinished(close);
  const reached = { endpoint, region: 'us-east-1', allow_http: 'true', client_max_retries: '1' };
  return {
    url: `s3://bucket-${addresses++}/kb`,
    writer: { ...reached, ...writer },
    reader: { ...reached, ...reader },
    counted: () => requests.splice(0),
    disturb: (how = () => undefined) => void (disturbance = how),
  };
}

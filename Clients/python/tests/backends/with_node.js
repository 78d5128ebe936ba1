// A backend in Node that tells of goals by alerts. With BUG=new_id a push without an answer is sent again as another
// one, so that its phone may show it twice.
'use strict';
const crypto = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const http2 = require('node:http2');

const bug = process.env.BUG;
const ready = JSON.parse(fs.readFileSync(process.env.PUSHPIT_READY));
const {keyId, teamId, p8} = ready.keys[0];
const ca = fs.readFileSync(ready.ca);
const PATIENCE = 10_000;
let follower = {token: undefined, registered: 0};
let work = Promise.resolve();

function providerToken() {
  const part = value => Buffer.from(JSON.stringify(value)).toString('base64url');
  const issued = Math.floor(Date.now() / 1000);
  const text = `${part({alg: 'ES256', kid: keyId})}.${part({iss: teamId, iat: issued})}`;
  const key = {key: fs.readFileSync(p8), dsaEncoding: 'ieee-p1363'};
  return `${text}.${crypto.sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

let authorization = providerToken();
let session;

function connection() {
  if (!session || session.closed || session.destroyed) {
    const opened = (session = http2.connect(`https://${ready.listeners.sandbox}`, {ca}));
    opened.on('error', () => {});
    // No new streams on it; those that are open go on.
    opened.on('goaway', () => { if (session === opened) session = undefined; });
  }
  return session;
}

// The status and the body, or nothing if no answer came.
function post(token, text, id) {
  return new Promise(resolve => {
    const request = connection().request({
      ':method': 'POST', ':path': `/3/device/${token}`, authorization: `bearer ${authorization}`,
      'apns-topic': 'com.example.app', 'apns-push-type': 'alert', 'apns-id': id, 'apns-collapse-id': id,
    });
    let status, body = '';
    request.on('response', headers => { status = headers[':status']; });
    request.setEncoding('utf8');
    request.on('data', part => { body += part; });
    request.on('error', () => {});
    request.on('close', () => resolve(request.rstCode === 0 && status ? {status, body} : {}));
    request.setTimeout(2000, () => request.close(http2.constants.NGHTTP2_CANCEL));
    request.end(JSON.stringify({aps: {alert: text}}));
  });
}

async function push(to, text) {
  const until = Date.now() + PATIENCE;
  let id = crypto.randomUUID();
  for (let pause = 20; to === follower && Date.now() < until; pause = Math.min(2 * pause, 300)) {
    const {status, body} = await post(to.token, text, id);
    if ([200, 400, 413].includes(status)) return;
    if (status === 403) authorization = providerToken();
    if (status === 410 && JSON.parse(body).timestamp > to.registered) return;
    if (!status && bug === 'new_id') id = crypto.randomUUID();
    await new Promise(resolve => setTimeout(resolve, pause));
  }
}

const server = http.createServer((request, response) => {
  let body = '';
  request.on('data', part => { body += part; });
  request.on('end', () => {
    const order = JSON.parse(body);
    if (request.url === '/followers') follower = {token: order.token, registered: Date.now()};
    // One after the other: goals are shown in their order.
    const to = follower;
    if (request.url === '/goals') work = work.then(() => push(to, order.text));
    response.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));

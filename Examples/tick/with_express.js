// A backend with Express that reminds drivers of the end of their parking time: docs/tick.md.
'use strict';
const crypto = require('node:crypto'), fs = require('node:fs'), http2 = require('node:http2');
const express = require('express');

const REMINDER = 3.75 * 3600;
const due = [];
const app = express();
app.use(express.json());

app.post('/parked', (request, response) => {
  due.push([now() + REMINDER, request.body.token]);
  response.sendStatus(204);
});

async function runDue() {
  while (due.length && due[0][0] <= now()) {
    await push(due[0][1], 'Your parking ends in 15 minutes');
    due.shift();
  }
}

async function everySecond() {
  await runDue();
  setTimeout(everySecond, 1000);
}

let told = Number(process.env.PUSHPIT_NOW); // NaN unless a story tells the time
const now = () => told || Date.now() / 1000;

async function tick(request, response) {
  told = request.body.now;
  await runDue();
  response.sendStatus(204);
}

if (told) app.post('/tick', tick);
else everySecond();

// APNs

const ready = JSON.parse(fs.readFileSync(process.env.PUSHPIT_READY));
const {keyId, teamId, p8} = ready.keys[0];
const apns = http2.connect(`https://${ready.listeners.sandbox}`, {ca: fs.readFileSync(ready.ca)});
let provider = {};

// By the machine's clock, because APNs checks provider tokens against it; another token every 40 minutes.
function providerToken() {
  const issued = Math.floor(Date.now() / 2400000) * 2400;
  if (provider.issued !== issued) {
    const part = value => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({alg: 'ES256', kid: keyId})}.${part({iss: teamId, iat: issued})}`;
    const key = {key: fs.readFileSync(p8), dsaEncoding: 'ieee-p1363'};
    provider = {issued, token: `${text}.${crypto.sign('sha256', Buffer.from(text), key).toString('base64url')}`};
  }
  return provider.token;
}

function push(token, text) {
  return new Promise((resolve, reject) => {
    const request = apns.request({
      ':method': 'POST', ':path': `/3/device/${token}`, authorization: `bearer ${providerToken()}`,
      'apns-topic': 'com.example.app', 'apns-push-type': 'alert',
    });
    request.on('response', headers => {
      const status = headers[':status'];
      if (status === 200) resolve();
      else reject(new Error(`APNs answered ${status}`));
    });
    request.on('error', reject);
    request.resume();
    request.end(JSON.stringify({aps: {alert: text}}));
  });
}

app.listen(Number(process.env.PORT), '127.0.0.1');

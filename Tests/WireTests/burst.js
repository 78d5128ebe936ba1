// Sends all pushes before it has seen a SETTINGS frame. Reads what to send, and prints the status of each answer.
const http2 = require('http2'), fs = require('fs');
const {url, ca, tokens, headers} = JSON.parse(fs.readFileSync(0));
const session = http2.connect(url, {ca: fs.readFileSync(ca)});
const answers = [];
function finish(answer) {
  answers.push(answer);
  if (answers.length < tokens.length) return;
  console.log(JSON.stringify(answers));
  session.close();
}
for (const token of tokens) {
  const request = session.request({':method': 'POST', ':path': '/3/device/' + token, ...headers});
  let status = 0;
  request.on('response', h => { status = h[':status']; });
  request.on('error', e => finish(e.message));
  request.on('end', () => finish(status));
  request.resume();
  request.end('{"aps":{"alert":"x"}}');
}

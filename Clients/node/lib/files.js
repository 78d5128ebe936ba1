// The server's certificate authority and keys as files of this machine.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/**
 * The ready line with files that can be read here: the server's own, or copies of what it gives away if it runs in a
 * container or on another machine. The copies go with this process.
 */
export async function withLocalFiles(admin, ready) {
  const authority = await admin.text("/v1/ca.pem");
  if (content(ready.ca) === authority) return ready;
  const { keys } = await admin.get("/v1/keys");
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pushpit-files-"));
  process.once("exit", () => fs.rmSync(folder, { recursive: true, force: true }));
  const ca = path.join(folder, "ca.pem");
  fs.writeFileSync(ca, authority);
  return { ...ready, ca, keys: keys.map((key) => copied(key, folder)) };
}

/** The key with its private half in a file; `p8` stays null if the server withholds it. */
function copied(key, folder) {
  if (key.p8 === null) return key;
  const p8 = path.join(folder, `AuthKey_${key.keyId}.p8`);
  fs.writeFileSync(p8, key.p8, { mode: 0o600 });
  return { ...key, p8 };
}

function content(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

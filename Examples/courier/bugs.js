/** Bugs of real backends by name, each off unless `--bug` names it. README.md has where each was reported. */
export const BUGS = {
  'trusts-old-410': 'forgets a token at a 410 that is older than its registration',
  'pushes-on-after-410': 'keeps a token that APNs has called unregistered, and pushes to it for ever',
  'keeps-session-after-goaway': 'replaces a connection when it fails, and not when a GOAWAY closes it',
  'keeps-provider-token': 'signs one provider token and uses it past its hour',
  'resends-unanswered-alert': 'sends a notification again when its answer did not come, though the phone may have it',
  'gives-up-at-429': 'retries after 5xx, and takes 429 for a refusal that is final',
  'start-clears-token': 'clears the update token when a start is answered, though it may have come before the answer',
  'starts-until-token': 'sends every change as another start as long as the update token has not come',
  'one-failure-ends-the-round': 'sends a round in one loop, which ends at the first push that is refused',
  'retry-overtakes': 'makes each push a job of its own, stamped when it is sent, so that a retry passes for newer',
};

export function parseBugs(names) {
  const unknown = names.find(name => !Object.hasOwn(BUGS, name));
  if (unknown !== undefined) throw new Error(`There is no bug called ${unknown}; --list-bugs prints all.`);
  return new Set(names);
}

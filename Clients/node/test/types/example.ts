// Compiled against lib/index.d.ts by types.test.js, and then run: types and module must agree.
import { NotFoundError, Pushpit, PushpitError, version, waitFor } from "../../lib/index.js";
import type { Push, Screen, StartOptions } from "../../lib/index.js";

export async function play(program: string): Promise<string> {
  const options: StartOptions = { fleet: 3, clock: "wall", settings: { "fleet.seed": 2, audit: true }, program };
  const pushpit: Pushpit = await Pushpit.start(options);
  try {
    const text = await pushpit.withSession({ expect: [{ pushes: { status: 200 }, count: 1 }] }, async (session) => {
      const token: string = await session.phone.token("voip", { app: "com.example.app" });
      const status: number = await session.withFault({ answer: "TooManyRequests", limit: 1 }, async (fault) => {
        const sent: Push = await session.phone.send("Goal!");
        return sent.status + (await fault.struck());
      });
      await session.phone.send({ aps: { alert: { title: "Goal!" } } }, { priority: 10, pushType: "alert" });
      const screen: Screen = await session.phone.expect({ notification: { title: "Goal!" } }, { within: 5000 });
      const newest: string = screen.notifications[0].title;
      const [push] = await session.expect(1, { status: 429, within: 1000 });
      const found = await waitFor(() => session.verdict ?? "open", { what: "A verdict" });
      await session.phone.do("permit", { notifications: "denied" });
      await session.phone.do("goOffline");
      return [token.length, status, newest, push.story.split("\n").length, found, version].join(" ");
    });
    const refused: PushpitError = await pushpit.phone("d9").screen().then(
      () => { throw new Error("not refused"); },
      (problem) => problem,
    );
    const status = refused instanceof NotFoundError && refused.status;
    return `${text} ${status} ${(await pushpit.clock.now()) > 0}`;
  } finally {
    await pushpit[Symbol.asyncDispose]();
  }
}

// What does not exist: each line is an error, and would be an error of its own if the types allowed it.
export function wrong(pushpit: Pushpit): (() => unknown)[] {
  const phone = pushpit.phone("d0");
  return [
    // @ts-expect-error: Pushpit is made by start or connect
    () => new Pushpit(),
    // @ts-expect-error: there are no flags
    () => Pushpit.start({ flags: ["--fleet", "2"] }),
    // @ts-expect-error: the clock cannot be that
    () => Pushpit.start({ clock: "fast" }),
    // @ts-expect-error: a misspelt setting
    () => Pushpit.start({ settings: { "fleet.sed": 2 } }),
    // @ts-expect-error: a group of settings
    () => Pushpit.start({ settings: { listen: { shareKeys: true } } }),
    // @ts-expect-error: an option, and no setting
    () => Pushpit.start({ settings: { state: "/x" } }),
    // @ts-expect-error: no kind of token
    () => phone.token("pigeon"),
    // @ts-expect-error: a misspelt action
    () => phone.do("unistall"),
    // @ts-expect-error: a permission needs to be said
    () => phone.do("permit"),
    // @ts-expect-error: locking takes no app
    () => phone.do("lock", { app: "com.example.app" }),
    // @ts-expect-error: a misspelt reason
    () => pushpit.fault({ answer: "TooManyRequest" }),
    // @ts-expect-error: a misspelt part of a screen
    () => phone.expect({ notificatoins: 1 }),
    // @ts-expect-error: a misspelt filter
    () => pushpit.pushes({ statuss: 429 }),
    // @ts-expect-error: priorities are 10, 5 and 1
    () => phone.send("Goal!", { priority: 7 }),
    // @ts-expect-error: a misspelt expectation
    () => pushpit.session({ expect: [{ pushs: {} }] }),
  ];
}

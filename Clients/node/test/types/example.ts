// Compiled against lib/index.d.ts by types.test.js, and then run: types and module must agree.
import { NotFoundError, Pushpit, PushpitError, story, version, waitFor } from "../../lib/index.js";

export async function play(program: string): Promise<string> {
  const pushpit: Pushpit = await Pushpit.start({ flags: ["--fleet", "3"], program });
  try {
    const text = await pushpit.withSession({ expect: [{ pushes: {}, count: 2 }] }, async (session) => {
      const token: string = await session.phone.token("voip", { app: "com.example.app" });
      const status: number = await session.withFault({ answer: "TooManyRequests", limit: 1 }, async (fault) => {
        const answer = await session.phone.send("Goal!");
        return answer.status + (await fault.struck());
      });
      await session.phone.send({ aps: { alert: { title: "Goal!" } } }, { priority: 10 });
      const screen = await session.phone.expect({ notification: { title: "Goal!" } }, { within: 5000 });
      const newest: string = screen.notifications[0].title;
      const [push] = await session.expect(1, { status: 429, within: 1000 });
      const found = await waitFor(() => session.verdict ?? "open", { what: "A verdict" });
      // @ts-expect-error: a token's kind is a string
      const never = () => session.phone.token(7);
      return [token.length, status, newest, story(push).split("\n").length, found, typeof never, version].join(" ");
    });
    const refused: PushpitError = await pushpit.phone("d9").screen().then(
      () => { throw new Error("not refused"); },
      (problem) => problem,
    );
    // @ts-expect-error: Pushpit is made by start or connect
    const make = () => new Pushpit();
    const status = refused instanceof NotFoundError && refused.status;
    return `${text} ${status} ${typeof make} ${(await pushpit.clock.now()) > 0}`;
  } finally {
    await pushpit.stop();
  }
}

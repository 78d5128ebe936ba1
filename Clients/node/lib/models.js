// Rows of the admin API with the names that all client libraries have; `raw` is the row as it came.

const withRaw = (row, raw) => Object.defineProperty(row, "raw", { value: raw });

/** The screen of a phone: `cards`, `notifications`, `badges` by bundle id. */
export function screen(raw) {
  const { lockScreen, ...others } = raw;
  const badges = Object.fromEntries(raw.badges.map(({ app, badge }) => [app, badge]));
  return withRaw({ ...others, cards: lockScreen, badges }, raw);
}

/** A push with its answer, and what became of it. */
export function push(raw) {
  const { body, headers } = raw.request;
  return withRaw(
    {
      ...raw,
      status: raw.answer.status,
      body,
      headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
      payload: json(body),
      why: raw.why.sentence,
      story: story(raw),
    },
    raw,
  );
}

/** Undefined if the text is not JSON: not every body is. */
function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A text with one sentence per line; causes are in brackets, as filters and expectations name them. */
function story({ sequence, answer, reason, device, apnsId, why, story: steps }) {
  const first = [answer.status, reason, device ? `to ${device}` : null].filter(Boolean).join(" ");
  const told = steps.map(({ process: name, sentence, cause }) => `  ${name}: ${sentence}${cause ? ` [${cause}]` : ""}`);
  const lines = [`push ${sequence} (${apnsId}): ${first}`, ...told];
  if (steps.length === 0 || answer.status !== 200) lines.push(`  why: ${why.sentence}`);
  return lines.join("\n");
}

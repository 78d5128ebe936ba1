/** The feed: when an order reaches which stage, drawn from the seed. A real backend would hear it from restaurants. */
import crypto from 'node:crypto';

/** The minutes that each stage takes to come, at least and at most. */
const MINUTES = {accepted: [1, 1], cooking: [1, 3], riding: [3, 6], door: [4, 7], delivered: [1, 2]};

/** Returns numbers from 0 to 1 that depend on the words alone. */
export function draws(...words) {
  let number = 0;
  return () => {
    const hash = crypto.createHash('sha256').update([...words, number++].join('/')).digest();
    return hash.readUInt32BE() / 2 ** 32;
  };
}

/** Returns the times of all stages. Kitchens and couriers report once a minute. */
export function plan(orderId, now, began) {
  const draw = draws(orderId);
  const times = {ordered: now};
  let time = began + Math.floor((now - began) / 60) * 60;
  for (const [stage, [least, most]] of Object.entries(MINUTES)) {
    time += 60 * (least + Math.floor(draw() * (most - least + 1)));
    times[stage] = time;
  }
  return times;
}

/** Returns the stage at a time, and how far away the courier is: in steps of two minutes, so that it is told seldom. */
export function progress(times, now) {
  const stage = Object.keys(times).findLast(name => times[name] <= now);
  return {stage, minutesLeft: stage === 'riding' ? 2 * Math.ceil((times.door - now) / 120) : 0};
}

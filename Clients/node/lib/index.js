export * from "./errors.js";
export { Fault } from "./fault.js";
export { Phone } from "./phone.js";
export { Clock, Pushpit } from "./pushpit.js";
export { Session } from "./session.js";
export { waitFor } from "./waiting.js";
export { version } from "./program.js";

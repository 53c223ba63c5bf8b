/** What one tab may connect to. */
export interface Pass {
  username: string;
  password: string;
  /** Why the last request to this host and port failed: Refused, or the error of its connection. */
  trouble(url: URL): Error | undefined;
  /** Starts counting anew: `onExceeded` is called when more than `max_bytes` have come in, after which nothing more does. */
  begin(max_bytes: number, onExceeded: () => void): void;
}

/** Marks what the proxy says itself in the place of an answer. A site that says it too gains nothing: the pass knows of no trouble then. */
export const NO_RESPONSE = 'kb-no-answer';

/** Ids of events, as long as those that a forge or a client would make; `tag` sets one process's apart. */
export function eventIds(tag: string): () => string {
  let count = 0
  return () => `evt-${tag}-${(count++).toString(36).padStart(8, '0')}`
}

/**
 * Hidden marks in what we write, so that a repeated effect finds its own earlier try (facts: no forge has a key for
 * writes). HTML comments are shown nowhere and survive edits, and anybody can paste them: a mark says which of our own
 * writes this is, and only its author says that it is one.
 */
const PREFIX = '<!-- platform:'
const SUFFIX = ' -->'

/** `--` would end the comment early, and `>` too. */
function safe(text: string): string {
  return encodeURIComponent(text).replaceAll('-', '%2D')
}

export function keyMarker(effectKey: string): string {
  return `${PREFIX}${safe(effectKey)}${SUFFIX}`
}

export function topicMarker(topic: string): string {
  return `${PREFIX}topic=${safe(topic)}${SUFFIX}`
}

/** Of a topic of this kind, whichever it is. */
export function hasTopicOf(body: string, kind: string): boolean {
  return body.includes(`${PREFIX}topic=${safe(`${kind}/`)}`)
}

/** Kind of the topic of comments that say how a Task stands: they are no part of the conversation. */
export const standingTopic = 'standing'

export function withMarkers(body: string, ...markers: readonly string[]): string {
  return `${body}\n\n${markers.join('\n')}`
}

/** The text before the marks at its end. By no pattern: one of many blanks takes minutes. */
export function withoutMarkers(body: string): string {
  for (let left = body.trimEnd(); ;) {
    const at = left.endsWith(SUFFIX) ? left.lastIndexOf(PREFIX) : -1
    if (at < 0 || /[\s<>]/.test(left.slice(at + PREFIX.length, -SUFFIX.length))) return left
    left = left.slice(0, at).trimEnd()
  }
}

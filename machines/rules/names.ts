/** Names that are derived, never drawn: the same text gives the same name at every replay (R11). */

/** Crockford's alphabet in lower case: no i, l, o, u, so that a name is read aloud without a mistake. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** Names of Tasks stay below 52 characters, so that a pod's name still fits into 63 (NAME-4). */
export const maxTaskName = 52

const hashLength = 5

/** FNV-1a over UTF-16 code units, then a finaliser: neighbouring texts end far apart. */
function hash32(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

const ownBranches = 'platform/'

/** Where a Task pushes: `platform/<name>` (NAME-6). `task`: `<namespace>/<name>`. */
export function taskBranch(task: string): string {
  return `${ownBranches}${task.slice(task.indexOf('/') + 1)}`
}

export function isTaskBranch(branch: string): boolean {
  return branch.startsWith(ownBranches)
}

/** Five base32 characters. Tells apart what a name cannot show; it is no fingerprint of content. */
export function shortHash(text: string): string {
  let rest = hash32(text)
  let out = ''
  for (let index = 0; index < hashLength; index += 1) {
    out += alphabet[rest % 32]
    rest = Math.floor(rest / 32)
  }
  return out
}

/** A label of DNS: what Kubernetes accepts in a resource's name. */
function dnsLabel(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}

/** `<kind>-<repository>-<number>-<5 characters>`; a long repository name is cut, the rest never is (NAME-4). */
export function taskName(kind: string, repository: string, number: number, seed: string): string {
  const tail = `-${number}-${shortHash(seed)}`
  const room = maxTaskName - kind.length - 1 - tail.length
  const middle = dnsLabel(repository).slice(0, Math.max(1, room)).replace(/-+$/, '') || 'x'
  return `${kind}-${middle}${tail}`
}

/** A memory as a test writes it: an id of its own, no metadata and no file. */
import { memoryIdentity } from '../memories/identity.ts'
import type { Draft } from '../memories/store-memory.ts'

let count = 0

/** `key`: within no repository; absent: written by nobody's key. */
export function draftOf(content: string, key?: string): Draft {
  return {
    id: `m-${++count}`,
    identity: memoryIdentity(content, {}),
    content,
    metadata: {},
    repo: '',
    file: null,
    key: key === undefined ? undefined : { repo: '', text: key },
    job: null,
  }
}

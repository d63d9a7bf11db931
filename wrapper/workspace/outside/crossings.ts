import type { Git } from '../git.ts'
import type { Inside } from './inside.ts'
import type { Wire } from './wire.ts'

/** What publishing works with: git beside the wrapper, the agent's side, and the wire between the two. */
export interface Crossings {
  readonly git: Git
  readonly inside: Inside
  readonly wire: Wire
}

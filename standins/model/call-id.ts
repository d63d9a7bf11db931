/** A tool use id says which step made the call, so that a request alone tells how far a turn has come. */
import { createHash } from 'node:crypto'
import { slug } from '../scenarios/check.ts'

export interface CallPlace {
  readonly entry: string
  readonly step: number
  /** A step such as `edit` needs several calls. */
  readonly part: number
}

export function callId(place: CallPlace, turnToken: string): string {
  const turn = createHash('sha256').update(turnToken).digest('hex').slice(0, 8)
  return `toolu_${slug(place.entry)}_${place.step}_${place.part}_${turn}`
}

export function readCallId(id: string): CallPlace | undefined {
  const match = /^toolu_([A-Za-z0-9-]+)_(\d+)_(\d+)_[0-9a-f]{8}$/.exec(id)
  return match === null ? undefined : { entry: match[1] ?? '', step: Number(match[2]), part: Number(match[3]) }
}

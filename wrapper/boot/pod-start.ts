import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { writeAtomically } from './atomic-file.ts'
import { parseJson } from './environment.ts'

const Started = Type.Object({ startedAt: Type.Number() })

export const podStartFile = (stateDir: string): string => join(stateDir, 'pod.json')

/** The TTL counts from the pod's first start: a wrapper that is started again for the same pod gets no new hour. */
export function podStart(stateDir: string, now: number): { readonly startedAt: number; readonly isRestart: boolean } {
  const path = podStartFile(stateDir)
  const known = existsSync(path) ? parseJson(readFileSync(path, 'utf8')) : undefined
  if (Check(Started, known)) return { startedAt: known.startedAt, isRestart: true }
  writeAtomically(path, JSON.stringify({ startedAt: now }))
  return { startedAt: now, isRestart: false }
}

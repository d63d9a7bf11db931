import { invalidInput, type Fault } from '../../http/problems/problem.ts'
import { findSecrets } from '../secrets/find-secrets.ts'

/**
 * Whoever may read the memory reads what is written here. A member may be a text or a map of texts, whose names count too.
 * @throws Problem which names member, line and kind, and nothing of the secret.
 */
export function refuseSecrets(members: Readonly<Record<string, unknown>>): void {
  const faults = Object.entries(members).flatMap(([member, value]) => faultsIn(`/${member}`, textOf(value)))
  if (faults.length > 0) throw invalidInput(faults)
}

/** A map as one line for each name, so that the name tells what its value is. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return Object.entries(value ?? {})
    .map(([name, text]) => `${name}: ${text}`)
    .join('\n')
}

function faultsIn(path: string, text: string): Fault[] {
  return findSecrets(text).map(({ what, line }) => ({ path, message: `holds a secret in line ${line} (${what})` }))
}

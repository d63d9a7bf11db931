/**
 * Refuses to run tables that the prover did not explore: the machines of this program are named by hashes over their
 * tables, guards and rules, and the certificate names those that were proven. Where the program runs from its sources
 * they are hashed at the start, for what was generated speaks of the sources as they were then.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { certificate } from '../../machines/generated/certificate.ts'
import { allMachines } from '../../machines/registry.ts'

export interface Certificate {
  readonly machines: Readonly<Record<string, string>>
  /** By number, or by name. */
  readonly laws: readonly (number | string)[]
  readonly worlds: readonly { readonly states: number; readonly transitions: number }[]
}

/** What is logged at start. */
export interface Proof {
  readonly machines: Readonly<Record<string, string>>
  readonly laws: number
  readonly states: number
  readonly transitions: number
}

interface Named {
  readonly kind: string
  readonly sourceHash?: string
}

interface Hashing {
  hashOf(kind: string, base: string): Promise<string>
}

/** By what the sources in `dir` say now; a packed program has none, and holds what it was built from. */
export async function asTheyStand(running: readonly Named[], dir: string): Promise<readonly Named[]> {
  const hashing = join(dir, 'bin', 'generators', 'machine-hashes.mjs')
  if (!existsSync(join(dir, 'machines', 'registry.ts')) || !existsSync(hashing)) return running
  const { hashOf } = (await import(pathToFileURL(hashing).href)) as Hashing
  return Promise.all(running.map(async ({ kind }) => ({ kind, sourceHash: await hashOf(kind, dir) })))
}

export function requireProof(running: readonly Named[] = allMachines, proven: Certificate = certificate): Proof {
  const strangers = running.filter(
    ({ kind, sourceHash }) => sourceHash === undefined || proven.machines[kind] !== sourceHash,
  )
  if (strangers.length > 0) throw new Error(refusal(strangers, proven))
  return {
    machines: proven.machines,
    laws: proven.laws.length,
    states: total(proven.worlds.map(({ states }) => states)),
    transitions: total(proven.worlds.map(({ transitions }) => transitions)),
  }
}

function refusal(strangers: readonly Named[], proven: Certificate): string {
  const names = strangers.map(
    ({ kind, sourceHash = 'no hash' }) =>
      `  ${kind}: running ${sourceHash}, proven ${proven.machines[kind] ?? 'never'}`,
  )
  return [
    'the certificate is for other machines, so nobody has proved these:',
    ...names,
    'A release contains the certificate of its machines: install it again. In a checkout run:',
    '  npm run generate && npm run prove -- --certify',
  ].join('\n')
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

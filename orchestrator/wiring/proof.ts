/**
 * Refuses to run tables that the prover did not explore: the machines of this program are named by hashes over their
 * tables, guards and rules, and the certificate names those that were proven. Where the program runs from its sources
 * they are hashed at the start, for what was generated speaks of the sources as they were then. There it only warns,
 * so that a changed guard can be tried before the prover runs; CI and a packed program refuse.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { certificate } from '../../machines/certificate.ts'

interface Certificate {
  readonly machines: Readonly<Record<string, string>>
  /** By number, or by name. */
  readonly laws: readonly (number | string)[]
  readonly worlds: readonly { readonly states: number; readonly transitions: number }[]
}

/** What is logged at start. */
interface Proof {
  readonly machines: Readonly<Record<string, string>>
  readonly laws: number
  readonly states: number
  readonly transitions: number
}

interface Named {
  readonly kind: string
  readonly sourceHash?: string
}

interface Start {
  readonly env: Readonly<Record<string, string | undefined>>
  warn(text: string): void
}

/** Bundling every machine takes a fifth of a second. */
const hashingLimitMs = 60_000

/** Undefined, after a warning, where sources run that nobody proved. */
export async function proofAtStart(
  running: readonly Named[],
  { dir, ...start }: Start & { readonly dir: string },
  proven: Certificate = certificate,
): Promise<Proof | undefined> {
  const hashing = join(dir, 'bin', 'generators', 'hash-machines.mjs')
  const isPacked = !existsSync(join(dir, 'machines', 'registry.ts')) || !existsSync(hashing)
  if (isPacked) return requireProof(running, proven)
  const hashes = await hashesBy(
    hashing,
    running.map(({ kind }) => kind),
  )
  const standing = running.map(({ kind }) => ({ kind, sourceHash: hashes[kind] }))
  return proofOfSources(standing, start, proven)
}

/** By a process of its own, which gets no secret and leaves nothing of the bundler in a server that stays. */
async function hashesBy(program: string, kinds: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...kinds], {
    env: {},
    timeout: hashingLimitMs,
  })
  return JSON.parse(stdout) as Readonly<Record<string, string>>
}

export function proofOfSources(
  running: readonly Named[],
  { env, warn }: Start,
  proven: Certificate = certificate,
): Proof | undefined {
  const strangers = unproven(running, proven)
  if (strangers.length === 0 || isCi(env)) return requireProof(running, proven)
  warn(`WARNING: ${refusal(strangers, proven)}\nCI and a packed program refuse these machines.`)
  return undefined
}

function isCi(env: Start['env']): boolean {
  return !['', '0', 'false'].includes(env['CI'] ?? '')
}

export function requireProof(running: readonly Named[], proven: Certificate): Proof {
  const strangers = unproven(running, proven)
  if (strangers.length > 0) throw new Error(refusal(strangers, proven))
  return {
    machines: proven.machines,
    laws: proven.laws.length,
    states: total(proven.worlds.map(({ states }) => states)),
    transitions: total(proven.worlds.map(({ transitions }) => transitions)),
  }
}

function unproven(running: readonly Named[], proven: Certificate): readonly Named[] {
  return running.filter(({ kind, sourceHash }) => sourceHash === undefined || proven.machines[kind] !== sourceHash)
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

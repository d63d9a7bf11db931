import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { scriptedModelKey } from '../../machines/why/cost.ts'

/** What the parts of one machine know of each other. Kept, so that they still do after a restart. */
const LocalSecrets = Type.Object({
  token: Type.String(),
  hook: Type.String(),
  operator: Type.String(),
  cli: Type.String(),
  model: Type.String(),
  /** Of the client by which pods reach the memory service. */
  memory: Type.String(),
})
type LocalSecrets = Static<typeof LocalSecrets>

export function loadLocalSecrets(dir: string): LocalSecrets {
  const file = join(dir, 'secrets.json')
  // A folder of an earlier version lacks some; those that it has were given to parts that still hold them.
  const kept: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  if (Value.Check(LocalSecrets, kept)) return kept
  const made = {
    token: random('ghp_'),
    hook: random(''),
    operator: random(''),
    cli: random(''),
    model: random(scriptedModelKey),
    memory: random(''),
    ...(kept as Partial<LocalSecrets>),
  }
  writeFileSync(file, JSON.stringify(made), { mode: 0o600 })
  return made
}

function random(prefix: string): string {
  return `${prefix}${randomBytes(24).toString('hex')}`
}

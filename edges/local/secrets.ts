import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { Type } from 'typebox'
import type { SecretStore } from '../ports/resources.ts'

const Data = Type.Record(Type.String(), Type.String())
/** Names become file names: nothing that could leave the folder. */
const safe = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Secrets of one machine: files of mode 0600 outside the database, read at every use (SECURITY-RULE-2). */
export function localSecrets(dir: string): SecretStore {
  const fileOf = (namespace: string, name: string): string => {
    if (!safe.test(namespace) || !safe.test(name))
      throw new Error('a secret has the name of a resource: lower case letters, digits and dashes')
    return join(dir, `${namespace}.${name}.json`)
  }
  return {
    read: async (namespace, name) => {
      try {
        const value: unknown = JSON.parse(readFileSync(fileOf(namespace, name), 'utf8'))
        return Value.Check(Data, value) ? value : undefined
      } catch {
        return undefined
      }
    },
    write: async (namespace, name, data) => {
      mkdirSync(dir, { recursive: true, mode: 0o700 })
      const file = fileOf(namespace, name)
      writeFileSync(`${file}.new`, JSON.stringify(data), { mode: 0o600 })
      renameSync(`${file}.new`, file)
    },
  }
}

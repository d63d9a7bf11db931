/** What logins gave, by service: one file, for its owner alone. */
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'

export const SavedLogin = Type.Object({
  issuer: Type.String(),
  tokenUrl: Type.String(),
  clientId: Type.String(),
  audience: Type.String(),
  accessToken: Type.String(),
  /** Epoch milliseconds. */
  expiresAt: Type.Number(),
  refreshToken: Type.Optional(Type.String()),
})
export type SavedLogin = Static<typeof SavedLogin>

const SavedLogins = Type.Record(Type.String(), SavedLogin)

export interface TokenStore {
  readonly path: string
  read(url: string): SavedLogin | undefined
  /** Undefined takes it away. */
  write(url: string, login: SavedLogin | undefined): void
}

const ownerOnly = 0o600
const others = 0o077

export function tokenStore(path: string): TokenStore {
  function all(): Record<string, SavedLogin> {
    let text: string
    try {
      // Somebody let others read it: what they have read already can't be helped, what comes can.
      if ((statSync(path).mode & others) !== 0) chmodSync(path, ownerOnly)
      text = readFileSync(path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw error
    }
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      value = undefined
    }
    if (!Value.Check(SavedLogins, value))
      throw new Error(`${path} is not what statewright login wrote: remove it and sign in again`)
    return value
  }

  return {
    path,
    read: (url) => all()[url],
    write: (url, login) => {
      const { [url]: _before, ...rest } = all()
      const next = login === undefined ? rest : { ...rest, [url]: login }
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(`${path}.${process.pid}`, `${JSON.stringify(next, null, 2)}\n`, { mode: ownerOnly })
      renameSync(`${path}.${process.pid}`, path)
    },
  }
}

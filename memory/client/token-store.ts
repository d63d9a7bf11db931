/** What logins gave, by service: one file, for its owner alone. */
import { Type, type Static } from 'typebox'
import { readOwnFile, writeOwnFile } from './own-file.ts'

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

export function tokenStore(path: string): TokenStore {
  const all = (): Static<typeof SavedLogins> => readOwnFile(path, SavedLogins) ?? {}

  return {
    path,
    read: (url) => all()[url],
    write: (url, login) => {
      const { [url]: _before, ...rest } = all()
      const next = login === undefined ? rest : { ...rest, [url]: login }
      writeOwnFile(path, next)
    },
  }
}

/** The token of a stack's own client, kept in its folder for the next command, until shortly before it ends. */
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { Type, type Static } from 'typebox'
import type { TokenSource } from '../../http/token-source.ts'
import { readOwnFile, writeOwnFile } from '../../memory/client/own-file.ts'
import type { Clock } from '../../runtime/clock.ts'

const Kept = Type.Object({ of: Type.String(), token: Type.String(), until: Type.Number() })

/** A request under way must not outlive its token. */
const marginMs = 60_000

/** `client`: whose token it is, secret included: of another one nothing is taken. */
export function keptToken(
  dir: string,
  client: readonly string[],
  { source, clock }: { readonly source: TokenSource; readonly clock: Pick<Clock, 'now'> },
): TokenSource {
  const file = join(dir, 'cli-token.json')
  const of = createHash('sha256').update(JSON.stringify(client)).digest('hex')
  return {
    token: async () => {
      const kept = readKept(file)
      if (kept !== undefined && kept.of === of && clock.now() < kept.until) return kept.token
      const token = await source.token()
      keep(file, { of, token, until: endOf(token) - marginMs })
      return token
    },
    forget: () => {
      rmSync(file, { force: true })
      source.forget()
    },
  }
}

function endOf(token: string): number {
  try {
    return (decodeJwt(token).exp ?? 0) * 1000
  } catch {
    return 0
  }
}

/** What cannot be read or kept is asked for again. */
function readKept(file: string): Static<typeof Kept> | undefined {
  try {
    return readOwnFile(file, Kept)
  } catch {
    return undefined
  }
}

function keep(file: string, kept: Static<typeof Kept>): void {
  try {
    writeOwnFile(file, kept)
  } catch {
    // A folder that takes no file costs a question a command.
  }
}

/** Where the parts of one machine are: written by `up` and `demo`, read by the other commands. Mode 0600: it holds the key of the command line. */
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { readPrivate, writePrivate } from './private-json.ts'
import { program } from '../program.ts'

export const Endpoints = Type.Object({
  pid: Type.Integer(),
  orchestrator: Type.String(),
  internal: Type.String(),
  inspector: Type.String(),
  forge: Type.String(),
  forgeApi: Type.String(),
  identity: Type.String(),
  model: Type.String(),
  /** The memory service, and the audience of tokens for it; absent where none runs. */
  memory: Type.Optional(Type.String()),
  memoryAudience: Type.Optional(Type.String()),
  /** What people prove themselves by when they sign in at the stand-in; another one at each start. */
  signInCode: Type.Optional(Type.String()),
  tokenUrl: Type.String(),
  clientId: Type.String(),
  clientSecret: Type.String(),
  audience: Type.String(),
})
export type Endpoints = Static<typeof Endpoints>

function fileIn(dir: string): string {
  return join(dir, 'endpoints.json')
}

export function writeEndpoints(dir: string, endpoints: Endpoints): void {
  writePrivate(fileIn(dir), endpoints)
}

export function findEndpoints(dir: string): Endpoints | undefined {
  return readPrivate(Endpoints, fileIn(dir))
}

export function requireEndpoints(dir: string): Endpoints {
  const found = findEndpoints(dir)
  if (found === undefined)
    throw new Error(
      `nothing runs in ${dir}: start it with ${program} up --dir ${dir}, or name another folder with --dir`,
    )
  return found
}

export function isRunning({ pid }: Pick<Endpoints, 'pid'>): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

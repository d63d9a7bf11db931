/** The orchestrators that a person signed in at, by name: one file, for its owner alone. Tokens stand apart from it. */
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { readOwnFile, writeOwnFile } from '../../memory/client/own-file.ts'
import { configDir } from '../knowledge-service.ts'

const Contexts = Type.Object({
  /** Name of the one that a command asks when it names none. */
  current: Type.Optional(Type.String()),
  contexts: Type.Record(Type.String(), Type.Object({ server: Type.String() })),
})
export type Contexts = Static<typeof Contexts>

export function contextsFile(env: Readonly<Record<string, string | undefined>>): string {
  return join(configDir(env), 'contexts.json')
}

export function readContexts(path: string): Contexts {
  return readOwnFile(path, Contexts) ?? { contexts: {} }
}

export function writeContexts(path: string, contexts: Contexts): void {
  writeOwnFile(path, contexts)
}

/** It becomes the current one. */
export function withContext({ contexts }: Contexts, name: string, server: string): Contexts {
  return { current: name, contexts: { ...contexts, [name]: { server } } }
}

export function withoutContext({ current, contexts }: Contexts, name: string): Contexts {
  const { [name]: _gone, ...rest } = contexts
  return { ...(current === undefined || current === name ? {} : { current }), contexts: rest }
}

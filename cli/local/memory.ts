/** The memory of the Project of `up`: the orchestrator runs it as it runs those of others. */
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Type } from 'typebox'
import { MemoryFolder } from '../../edges/local/memory/folder.ts'
import type { OrchestratorClient } from '../server/client.ts'
import { project } from './stack-names.ts'

/** Two stores are made anew at a first start, on a machine that may be busy. */
const serveLimitMs = 120_000
const lookMs = 500

const id = `default/${project}`

/** Of all Projects of the folder. */
export function memoryRoot(dir: string): string {
  return join(dir, 'state', 'memory')
}

/** Versions before had one service a folder, and its store elsewhere. */
export function keepEarlierMemory(dir: string): void {
  const [earlier, { path }] = [join(dir, 'memory'), new MemoryFolder(memoryRoot(dir), id)]
  if (!existsSync(earlier) || existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  renameSync(earlier, path)
}

const Seen = Type.Object({
  status: Type.Object({
    memory: Type.Optional(Type.Object({ phase: Type.Optional(Type.String()), endpoint: Type.Optional(Type.String()) })),
    conditions: Type.Optional(Type.Array(Type.Object({ type: Type.String(), message: Type.String() }))),
  }),
})

/** Where it serves. @throws why it does not. */
export async function memoryOf(client: OrchestratorClient, dir: string): Promise<string> {
  let words = 'nothing is known of it'
  for (let waited = 0; waited < serveLimitMs; waited += lookMs) {
    const { status } = await client.ask(Seen, 'GET', `/resources/projects/${id}`)
    const { phase, endpoint } = status.memory ?? {}
    if (endpoint !== undefined && phase !== 'Pending' && (await serves(endpoint))) return endpoint
    words = status.conditions?.find(({ type }) => type === 'MemoryStack')?.message ?? words
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
  const { log } = new MemoryFolder(memoryRoot(dir), id)
  throw new Error(`the memory did not serve within ${serveLimitMs / 1000} s: ${words} Its log is ${log}`)
}

/** What its actor knows may be of the service of an earlier start. */
async function serves(endpoint: string): Promise<boolean> {
  return fetch(`${endpoint}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** Vitest loads this before each test file that shares its process: one that leaves it changed for the files after it fails. */
import { afterAll, expect } from 'vitest'

/** What packages register once, when they are loaded, and the store that all files of a process share. */
const kept = /^(?:__zod_|goog$|sharedStores$)/
const ending = ['uncaughtException', 'unhandledRejection', 'warning', 'SIGINT', 'SIGTERM', 'SIGHUP']

function state(): ReadonlyMap<string, unknown> {
  const globals = Object.getOwnPropertyNames(globalThis).filter((name) => !kept.test(name))
  return new Map<string, unknown>([
    ...Object.entries(process.env).map(([name, value]) => [`variable ${name}`, value] as const),
    ...globals.map((name) => [`global ${name}`, true] as const),
    ...ending.map((name) => [`listeners for ${name}`, process.listenerCount(name)] as const),
    ['working folder', process.cwd()],
  ])
}

const [before, environment] = [state(), { ...process.env }]
afterAll(() => {
  const after = state()
  const left = [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name))
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  expect(left, 'what the file leaves changed in its process').toEqual([])
})

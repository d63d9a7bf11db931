import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

test.each([
  ['npx', 'npx statewright'],
  ['start', 'npx statewright'],
  ['demo', 'npx statewright'],
  ['test', 'statewright'],
  [undefined, 'statewright'],
])('a command that npm runs as %s names what to run next as %s', async (event, name) => {
  vi.stubEnv('npm_lifecycle_event', event)
  vi.resetModules()
  expect((await import('./program.ts')).program).toBe(name)
  const { goOnLines } = await import('./try/result.ts')
  expect(goOnLines('interrupted', ['/a b'], false)).toContain(`  ${name} try '/a b'`)
})

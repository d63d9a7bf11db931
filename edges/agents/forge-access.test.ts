import { expect, test } from 'vitest'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { ForgeUnavailableError } from '../forge/errors.ts'
import type { Fence, ForgePort } from '../forge/port.ts'
import type { ProjectSettings } from '../forge/projects.ts'
import { accessRepository } from './forge-access.ts'

const project = {
  name: 'demo',
  scm: { owner: 'acme' },
  repositories: [{ name: 'library', url: 'http://forge.test/acme/library.git' }],
} as unknown as ProjectSettings

test('what a tool asked for is written as long as somebody waits for it, and not by a process that was paused meanwhile', async () => {
  const clock = simulatedClock(1_000_000)
  const fences: (Fence | undefined)[] = []
  const deps = {
    clock,
    projects: { project: async () => project, projects: async () => [project], secret: async () => undefined },
    openForge: async (_: string, fence?: Fence) => (fences.push(fence), {} as ForgePort),
  }
  expect((await accessRepository(deps, 'default/demo', 'library')).path).toBe('acme/library')
  clock.advance(119_999)
  expect(() => fences[0]!()).not.toThrow()
  clock.advance(1)
  expect(() => fences[0]!()).toThrow(ForgeUnavailableError)
})

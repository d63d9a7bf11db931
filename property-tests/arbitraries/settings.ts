import fc from 'fast-check'
import type { Setting } from '../machines/world/world.ts'

export const setting: fc.Arbitrary<Setting> = fc.record({
  ceiling: fc.constantFrom('minor', 'major', 'off'),
  isBotListed: fc.boolean(),
  isGateOpen: fc.boolean(),
  capacity: fc.constantFrom(1, 2),
  issues: fc.constantFrom('wishes', 'wishes', 'own', 'pair', 'none'),
  hasMergeRequest: fc.boolean(),
  hasAlert: fc.boolean(),
  other: fc.constantFrom(
    'none',
    'none',
    'none',
    'refine',
    'refine',
    'brainstorm',
    'incident',
    'documentation',
    'upgrade',
  ),
})

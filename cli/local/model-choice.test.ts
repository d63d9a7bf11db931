import { expect, test } from 'vitest'
import { UsageError } from '../args.ts'
import { modelChoice, wallsOf } from './model-choice.ts'

test('the scripted model needs no key, and is given none', () => {
  expect(modelChoice('scripted', { ANTHROPIC_API_KEY: 'key' })).toEqual({ provider: 'scripted' })
})

test('a real model takes the key before the subscription', () => {
  const env = { ANTHROPIC_API_KEY: 'key', CLAUDE_CODE_OAUTH_TOKEN: 'oauth' }
  expect(modelChoice('anthropic', env)).toEqual({ provider: 'anthropic', key: 'key', oauth: false })
  expect(modelChoice('anthropic', { CLAUDE_CODE_OAUTH_TOKEN: 'oauth' })).toEqual({
    provider: 'anthropic',
    key: 'oauth',
    oauth: true,
  })
})

test('a real model without either, or an unknown one, is refused', () => {
  expect(() => modelChoice('anthropic', {})).toThrow('needs ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN')
  expect(() => modelChoice('anthropic', { ANTHROPIC_API_KEY: '' })).toThrow('needs ANTHROPIC_API_KEY')
  expect(() => modelChoice('other', {})).toThrow('takes scripted or anthropic, not other')
  expect(() => modelChoice('other', {})).toThrow(UsageError)
})

test('a real model runs behind walls or not at all, unless they are waived; a scripted one where there are any (SECURITY-RULE-3)', () => {
  const [real, scripted] = [{ provider: 'anthropic' }, { provider: 'scripted' }] as const
  expect(wallsOf({ model: real, unsafeNoIsolation: false })).toBe('required')
  expect(wallsOf({ model: scripted, unsafeNoIsolation: false })).toBe('auto')
  expect([real, scripted].map((model) => wallsOf({ model, unsafeNoIsolation: true }))).toEqual(['none', 'none'])
})

import { describe, expect, it } from 'vitest'
import { withSection } from './document.ts'

describe('BENCHMARKS.md', () => {
  it('gets a new section at its end', () => {
    expect(withSection('# Benchmarks\n', 'runtime', 'one')).toMatch(
      /^# Benchmarks\n\n<!-- begin runtime.*-->\none\n<!-- end runtime -->\n$/,
    )
  })
  it('gets the new text in the place of the old one, and the other sections stay', () => {
    const two = withSection(withSection('# Benchmarks\n', 'runtime', 'old'), 'memory', 'kept')
    const next = withSection(two, 'runtime', 'new $& text')
    expect(next).toContain('new $& text')
    expect(next).not.toContain('old')
    expect(next.indexOf('new')).toBeLessThan(next.indexOf('kept'))
  })
})

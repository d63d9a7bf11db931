import { describe, expect, test } from 'vitest'
import { count, flag, readArgs, text, UsageError } from './args.ts'
import { said } from './commands/testing/fixture.ts'

const options = { port: { type: 'string' }, json: { type: 'boolean' } } as const

describe('arguments', () => {
  test('are options and positionals in any order', () => {
    const parsed = readArgs(['one', '--port', '8080', 'two', '--json'], options, 'usage')!
    expect(parsed.positionals).toEqual(['one', 'two'])
    expect([text(parsed, 'port'), flag(parsed, 'json'), count(parsed, 'port', 1)]).toEqual(['8080', true, 8080])
  })

  test('that are not given are undefined, false or what the command falls back to', () => {
    const parsed = readArgs([], options, 'usage')!
    expect([text(parsed, 'port'), flag(parsed, 'json'), count(parsed, 'port', 7)]).toEqual([undefined, false, 7])
  })

  test.each([[['--prot', '1']], [['--port']], [['--json=yes']], [['-x']]])(
    '%j are called wrong, with the usage beside',
    (args) => {
      expect(() => readArgs(args, options, 'usage: how')).toThrow(UsageError)
      expect(() => readArgs(args, options, 'usage: how')).toThrow('usage: how')
    },
  )

  test.each(['1.5', '0x10', 'many', '', ' 1'])('a count of %j is no whole number', (given) => {
    const parsed = readArgs([`--port=${given}`], options, 'usage')!
    expect(() => count(parsed, 'port', 1)).toThrow(`--port takes a whole number, not ${given}`)
  })

  test.each(['--help', '-h'])('%s prints the usage and ends the command', async (help) => {
    const { out } = await said(async () => expect(readArgs([help], options, 'usage: how')).toBeUndefined())
    expect(out).toBe('usage: how')
  })
})

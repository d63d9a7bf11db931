import { expect, test } from 'vitest'
import { Type } from 'typebox'
import { Problem } from '../../../http/problems/problem.ts'
import { UsageError } from '../../args.ts'
import { said, withOrchestrator, type Said } from '../testing/fixture.ts'
import { transcript } from './transcript.ts'

const usual = { task: 'default/a', pod: 2, at: '2026-01-01T00:00:00.000Z', truncated: false, lines: ['x'] }
const title = 'pod 2 of default/a, handed over 2026-01-01T00:00:00.000Z'

/** An orchestrator that answers so; a text is a 404. */
function answering(
  answer: object | string,
  use: (ask: (...args: readonly string[]) => Promise<Said>, asked: readonly object[]) => Promise<void>,
): Promise<void> {
  const asked: object[] = []
  return withOrchestrator(
    ({ dir }) => use((...args) => said(async () => expect(await transcript([...args, '--dir', dir])).toBe(0)), asked),
    (app) =>
      void app.get(
        '/operations/transcript',
        { schema: { querystring: Type.Record(Type.String(), Type.String()) } },
        async ({ query }) => {
          asked.push(query)
          if (typeof answer === 'string') throw new Problem('not-found', answer)
          return { ...usual, ...answer }
        },
      ),
  )
}

test('prints the lines, shows control characters, and says beside them whose they are and what is left out', () =>
  answering({ truncated: true, lines: ['agent: a\u001b[2J', '  b'] }, async (ask, asked) => {
    const out = 'agent: a\\u001b[2J\n  b'
    expect(await ask('a')).toEqual({ out, err: `${title}\nearlier entries are left out` })
    await ask('team/a', '--pod', '2')
    expect(asked).toEqual([{ task: 'a' }, { task: 'team/a', pod: '2' }])
  }))

test('prints the whole answer with --json, and says of an empty one that it is', () =>
  answering({ lines: [] }, async (ask) => {
    expect(JSON.parse((await ask('a', '--json')).out)).toEqual({ ...usual, lines: [] })
    expect(await ask('a')).toEqual({ out: '', err: `${title}\nits agent said nothing` })
  }))

test('fails with the sentence of the orchestrator where there is none', () =>
  answering('pod 2 of a was lost', async (ask) => {
    await expect(ask('a')).rejects.toThrow('pod 2 of a was lost')
  }))

test('a wrong call names every fault, and asks nobody', async () => {
  const wrong = transcript(['a', 'b', '--pod', '0'])
  await expect(wrong).rejects.toThrow(UsageError)
  await expect(wrong).rejects.toThrow(/^transcript takes one Task\n--pod takes a whole number from 1, not 0\n\nusage/)
})

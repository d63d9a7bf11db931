import { expect, test } from 'vitest'
import { UsageError } from '../../args.ts'
import { secret } from './secret.ts'
import { statewright, withOrchestrator } from '../testing/fixture.ts'

test('a value comes from standard input, without its last line break, and is not repeated (SECRET-4)', async () => {
  await withOrchestrator(async (fixture) => {
    const { code, out, err } = await statewright(
      ['secret', 'set', 'demo-scm', 'token=-', '--dir', fixture.dir],
      'hidden\ntoken\n',
    )
    expect({ code, out, err }).toEqual({ code: 0, out: 'secret/demo-scm created\n', err: '' })
    expect(fixture.sent).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'demo-scm', namespace: 'default' },
        stringData: { token: 'hidden\ntoken' },
      },
    ])
  })
})

test('a value on the command line is refused before anything is read or sent, and is not repeated', async () => {
  await withOrchestrator(async (fixture) => {
    for (const assignment of ['token=hidden-token', 'token', '=-', 'token=', 'token=a=-']) {
      const failing = secret(['set', 'demo-scm', assignment, '--dir', fixture.dir])
      await expect(failing).rejects.toThrow(UsageError)
      await expect(failing).rejects.not.toThrow('hidden-token')
    }
    await expect(secret(['get', 'demo-scm', 'token=-', '--dir', fixture.dir])).rejects.toThrow(UsageError)
    await expect(secret(['set'])).rejects.toThrow(UsageError)
    expect(fixture.sent).toEqual([])
  })
})

test('called wrongly, the program ends with 2 and says how to call it', async () => {
  const { code, err } = await statewright(['secret', 'set', 'demo-scm', 'token=hidden-token'])
  expect(code).toBe(2)
  expect(err).toContain('usage: statewright secret set NAME KEY=-')
  expect(err).not.toContain('hidden-token')
})

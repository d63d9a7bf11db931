import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { UsageError } from '../../args.ts'
import { deleteResource } from './delete.ts'
import { describe as show } from './describe.ts'
import { said, withOrchestrator } from '../testing/fixture.ts'

const metadata = (name: string): object => ({ name, namespace: 'default' })

test('describe shows spec, facts and conditions, each line of it indented', async () => {
  await withOrchestrator(async (fixture) => {
    const conditions = [{ type: 'Ready', status: 'False', reason: 'TokenRefused', message: 'Bad credentials' }]
    const status = {
      ready: false,
      reason: 'TokenRefused',
      conditions,
      memory: { phase: 'Running', endpoint: 'http://memory' },
      slots: { used: { normal: 1 } },
    }
    const spec = { scm: { provider: 'forge_a' } }
    fixture.items['projects'] = [{ kind: 'Project', metadata: metadata('demo'), spec, status }]
    expect((await said(() => show(['project', 'demo', '--dir', fixture.dir]))).out.split('\n')).toEqual([
      'Project default/demo',
      '',
      'Spec:',
      '  scm:',
      '    provider: forge_a',
      '',
      'Status:',
      '  ready: false',
      '  reason: TokenRefused',
      '  memory:',
      '    phase: Running',
      '    endpoint: http://memory',
      '',
      'Conditions:',
      '  CONDITION  STATUS  REASON        SINCE  MESSAGE',
      '  Ready      False   TokenRefused  -      Bad credentials',
    ])
    await expect(show(['project', '--dir', fixture.dir])).rejects.toThrow(UsageError)
    await expect(show(['pods', 'x'])).rejects.toThrow(/^there is no kind pods\nkinds: /)
  })
})

test('delete wants the name of a Project again, and of nothing else', async () => {
  const deleted: string[] = []
  const params = Type.Record(Type.String(), Type.String())
  await withOrchestrator(
    async ({ dir }) => {
      const call = (...args: readonly string[]): Promise<number> => deleteResource([...args, '--dir', dir])
      // No terminal is here to ask.
      await expect(call('project', 'demo')).rejects.toThrow('--confirm demo')
      const wrong = await said(async () => expect(await call('project', 'demo', '--confirm', 'other')).toBe(1))
      expect(wrong.out).toContain('nothing was deleted')
      await expect(call('queuedevent', 'x')).rejects.toThrow('only the orchestrator writes')
      expect(deleted).toEqual([])
      expect((await said(() => call('proj', 'demo', '--confirm', 'demo'))).out).toBe('project/demo deleted')
      expect((await said(() => call('task', 'a', '--namespace', 'team'))).out).toContain('task/a cancelled')
      expect(deleted).toEqual(['/resources/projects/default/demo', '/resources/tasks/team/a'])
    },
    (app) =>
      void app.delete('/resources/:kind/:namespace/:name', { schema: { params } }, async ({ url }, reply) => {
        deleted.push(url)
        return reply.code(204).send()
      }),
  )
})

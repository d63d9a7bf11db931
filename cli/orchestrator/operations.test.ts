import { expect, test } from 'vitest'
import { createLogger } from '../../http/logging.ts'
import { createServer } from '../../http/server.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { registerOperations, type OperationsDeps } from './operations.ts'

test('an operator retries, cancels, redelivers, sweeps and asks for a link; no verb speaks for a maintainer or an agent (INSPECTOR-RULE-3)', async () => {
  const server = await createServer({
    name: 'operations',
    version: '0',
    logger: createLogger({ name: 'operations', level: 'silent' }),
    clock: simulatedClock(1000),
    ids: { next: () => 'an-id' },
    openapi: { title: 't', description: 'd' },
  })
  const writing: string[] = []
  server.app.addHook('onRoute', ({ method, url }) => {
    if ([method].flat().some((one) => !['GET', 'HEAD', 'OPTIONS'].includes(one)))
      writing.push(`${String(method)} ${url}`)
  })
  await registerOperations(server.app, {} as OperationsDeps)
  await server.app.ready()
  await server.close({ graceMs: 100 })
  expect(writing.toSorted()).toEqual([
    'POST /operations/cancel',
    'POST /operations/inspector-link',
    'POST /operations/redeliver',
    'POST /operations/retention',
    'POST /operations/retry',
  ])
})

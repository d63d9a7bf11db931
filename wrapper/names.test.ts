import { expect, test } from 'vitest'
import { captureLog, namesIn, testClock } from '../http/testing/fixture.ts'
import { createWrapperServer, type WrapperServerOptions } from './server.ts'

test('the wrapper names everything in camelCase (HTTP-16)', async () => {
  const options = {
    ...captureLog(),
    clock: testClock(),
    ids: { next: () => 'id' },
    metrics: { exposeIn: () => undefined },
    runner: { isStopping: false, turns: [] },
    authenticate: async () => ({}),
  }
  const server = await createWrapperServer(options as unknown as WrapperServerOptions)
  try {
    const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { readonly paths: object }
    const names = namesIn(paths)
    expect(names).toContain('probeId')
    expect(names.filter((name) => !/^[a-z][A-Za-z0-9]*$/.test(name))).toEqual([])
  } finally {
    await server.close({ graceMs: 0 })
  }
})

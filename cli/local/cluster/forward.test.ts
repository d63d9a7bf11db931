import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { KubeClient } from '../../../edges/kubernetes/api/api.ts'
import { openForward, orchestratorPods } from './forward.ts'
import { freePort } from '../../../testing/free-port.ts'

interface Given {
  readonly name: string
  readonly podIP?: string
  readonly ready?: 'True' | 'False'
}

function clientWith(pods: () => readonly Given[], asked: unknown[] = []): Pick<KubeClient, 'ask'> {
  return {
    ask: async <Answer>(_method: string, path: string, question: unknown) => {
      asked.push([path, question])
      return {
        items: pods().map(({ name, podIP, ready = 'True' }) => ({
          metadata: { name, uid: `uid-${name}` },
          status: { podIP, conditions: [{ type: 'Ready', status: ready }] },
        })),
      } as Answer
    },
  }
}

/** A program in a pod, which answers with its name. */
async function pod(name: string): Promise<number> {
  const server = createServer((socket) => socket.end(name)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

async function answerAt(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port })
  socket.on('error', () => undefined)
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => (text += part))
  await once(socket, 'close')
  return text
}

test('a connection goes to the ready pod of the moment, and is closed where there is none', async () => {
  const podPort = await pod('the second')
  let pods: readonly Given[] = [{ name: 'first', podIP: '127.0.0.1', ready: 'False' }]
  const port = await freePort()
  const client = clientWith(() => pods)
  const forward = await openForward({ client, namespace: 'demo', listen: '127.0.0.1', port, podPort })
  onTestFinished(() => forward.close())
  expect(await answerAt(port)).toBe('')
  pods = [...pods, { name: 'second', podIP: '127.0.0.1' }]
  expect(await answerAt(port)).toBe('the second')
  pods = [{ name: 'third' }]
  expect(await answerAt(port)).toBe('')
})

test('only pods of the orchestrator are asked for', async () => {
  const asked: unknown[] = []
  const found = await orchestratorPods(
    clientWith(() => [{ name: 'a', podIP: '127.77.0.1' }], asked),
    'demo',
  )
  expect(found).toEqual([{ name: 'a', uid: 'uid-a', ip: '127.77.0.1', ready: true }])
  expect(asked).toEqual([
    ['/api/v1/namespaces/demo/pods', { query: { labelSelector: 'app.kubernetes.io/component=orchestrator' } }],
  ])
})

/** The wrapper as a pod has it: a process of its own, its HTTP API with a verified bearer, the signed callback. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { childrenOf } from '../../wrapper/boot/orphan.ts'
import type { TurnComplete } from '../../machines/turn/schema.ts'
import { openWorld, type PodWorld } from '../../wrapper/testing/pod.ts'
import { bounded, type Contender } from './contender.ts'
import type { Script } from './script.ts'

export interface OwnContender extends Contender {
  /** Leaves work in the clone, so that the next turn ends with a commit and a push. */
  changeSomething(nth: number): void
  residentMiB(): number
  cliMiB(): number
}

export async function openOwn(script: Script, program: readonly string[]): Promise<OwnContender> {
  const receiver = await startReceiver()
  const world = await openWorld({
    decide: script.decide,
    program,
    keepsRequests: false,
    env: { CALLBACK_URL: receiver.url },
  })
  try {
    const startedAt = performance.now()
    const pod = await world.start()
    const readyMs = performance.now() - startedAt
    return {
      readyMs,
      async turn(prompt) {
        const told = receiver.next()
        const submittedAt = performance.now()
        const accepted = await pod.call('POST', '/v1/messages', { text: prompt.text })
        if (accepted.status !== 202) throw new Error(`not accepted: ${accepted.status} ${accepted.text}`)
        const { at, body } = await bounded(told, `the callback of ${prompt.marker}`)
        if (body.turnId !== accepted.body.turnId || body.state !== 'completed' || body.failed.length > 0)
          throw new Error(`${prompt.marker} ended as ${body.stopReason}: ${JSON.stringify(body.failed)}`)
        return { submittedAt, toldAt: at, reported: body.finalText }
      },
      changeSomething: (nth) => writeFileSync(join(world.workspace, 'lib', `change-${nth}.txt`), `change ${nth}\n`),
      residentMiB: () => residentMiB(pod.process.pid!),
      cliMiB: () => Math.max(...agentPids(world).map(residentMiB)),
      close: () => closeBoth(world, receiver),
    }
  } catch (error) {
    await closeBoth(world, receiver)
    throw error
  }
}

async function closeBoth(world: PodWorld, receiver: Receiver): Promise<void> {
  await world.close()
  await receiver.close()
}

interface Receiver {
  readonly url: string
  /** The callback that comes next, and when it did. */
  next(): Promise<{ readonly at: number; readonly body: TurnComplete }>
  close(): Promise<void>
}

async function startReceiver(): Promise<Receiver> {
  let tell: (told: { readonly at: number; readonly body: TurnComplete }) => void = () => undefined
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    tell({ at: performance.now(), body: JSON.parse(Buffer.concat(chunks).toString()) as TurnComplete })
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/internal/turn-complete`,
    next: () => new Promise((resolve) => (tell = resolve)),
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
  }
}

/** The recorded process, and what it may have put around the CLI: by far the largest of them is the CLI. */
function agentPids({ stateDir }: PodWorld): readonly number[] {
  const { pid } = JSON.parse(readFileSync(join(stateDir, 'agent.json'), 'utf8')) as { pid: number }
  const children = childrenOf(pid)
  return [pid, ...children, ...children.flatMap(childrenOf)]
}

function residentMiB(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}

/**
 * The wrapper's side of one pod as an agent's CLI reaches it, without an agent: the tools' server behind its socket, with the runner
 * and broker. Other people's clients are no model, so the model's word for each of their calls is put before it, as the
 * proxy would have registered it. Test code only.
 */
import { randomUUID } from 'node:crypto'
import { createServer, connect, type Socket } from 'node:net'
import { clientCredentials } from '../../http/token-source.ts'
import { contractVersion } from '../../machines/turn/contract-version.ts'
import { systemClock } from '../../runtime/clock.ts'
import { Attestor } from '../../wrapper/attestation/attestor.ts'
import { canonical } from '../../wrapper/attestation/canonical.ts'
import { createBroker, fixedToken, type Broker } from '../../wrapper/broker/broker.ts'
import { createWrapperMetrics } from '../../wrapper/metrics.ts'
import { makeSocketFolder, socketsIn } from '../../wrapper/sockets/agent-sockets.ts'
import { openMcpSocket } from '../../wrapper/sockets/mcp-socket.ts'
import { onLines } from '../../wrapper/selftest/lines.ts'
import { rememberingLogger } from '../../wrapper/testing/quiet-log.ts'
import { createToolRunner } from '../../wrapper/tools/tool-runner.ts'
import { podServer } from '../../edges/agents/mcp/pod-server.ts'
import type { Memory } from '../../cli/local/testing/memory-service.ts'

export interface PodSide {
  /** What the relay is given; `profile` is what the server serves, also where the pod's is another. */
  socket(profile: string): Promise<string>
  readonly broker: Broker
  log(): string
  close(): Promise<void>
}

export interface SidedPod {
  readonly task: string
  readonly profile: string
  readonly token: string
}

export async function startPodSide(pod: SidedPod, operatorUrl: string, memory: Memory): Promise<PodSide> {
  const { logger, lines } = rememberingLogger()
  const caller = { task: `default/${pod.task}`, project: 'default/demo', profile: pod.profile, pod: 1 }
  const memoryToken = clientCredentials({ ...memory.credential, clock: systemClock, fetch })
  const attestor = new Attestor()
  attestor.turnBegan('turn-1')
  const broker = createBroker({
    caller,
    clock: systemClock,
    random: () => 0.5,
    logger,
    fetch,
    upstreams: {
      operator: { baseUrl: operatorUrl, token: fixedToken(pod.token), patienceMs: 1000 },
      memory: { baseUrl: memory.url, token: memoryToken, patienceMs: 1000 },
    },
    workspaceState: async () => 'clean',
  })
  const runner = createToolRunner({
    attestor,
    broker,
    push: async () => [],
    task: caller.task,
    metrics: createWrapperMetrics({ ...caller, contractVersion }, 'duration'),
    logger,
    onRefusal: () => undefined,
  })
  const closers: (() => Promise<void> | void)[] = []
  let calls = 0
  const nextId = (): string => `toolu_${(calls += 1)}`
  return {
    socket: async (profile) => {
      const folder = makeSocketFolder()
      const { tools, model } = socketsIn(folder.path)
      const serverFor = () =>
        podServer('0', randomUUID)({ ...caller, profile, repositories: ['lib'], hasMemory: true }, runner)
      const server = await openMcpSocket({ path: tools, serverFor })
      const speaking = await speakForTheModel(model, tools, attestor, nextId)
      closers.push(speaking, () => server.close(), folder.remove)
      return model
    },
    broker,
    log: () => lines.join(''),
    close: async () => {
      for (const close of closers) await close()
    },
  }
}

interface Call {
  readonly method?: string
  readonly params?: { readonly name: string; readonly arguments?: unknown; readonly _meta?: object }
}

/** Passes lines on from one socket to the other; each call gets an id and a block. */
async function speakForTheModel(
  path: string,
  to: string,
  attestor: Attestor,
  nextId: () => string,
): Promise<() => Promise<void>> {
  const attested = (line: string): string => {
    const message = JSON.parse(line) as Call
    if (message.method !== 'tools/call' || !message.params) return line
    const { name, arguments: input, _meta: meta } = message.params
    const id = nextId()
    const request = { tools: [{ name: `mcp__platform__${name}` }], messages: [{ content: 'go on' }] }
    const sink = attestor.requestBegan(Buffer.from(JSON.stringify(request)))
    sink.register({ id, tool: name, input: canonical(input ?? {})! })
    return JSON.stringify({ ...message, params: { ...message.params, _meta: { ...meta, 'claudecode/toolUseId': id } } })
  }
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(to)
    for (const socket of [near, far]) open.add(socket.on('error', () => undefined))
    onLines(near, (line) => far.write(`${attested(line)}\n`))
    far.pipe(near)
    near.on('close', () => far.destroy())
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return () =>
    new Promise((resolve) => {
      for (const socket of open) socket.destroy()
      server.close(() => resolve())
    })
}

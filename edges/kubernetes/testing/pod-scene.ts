/** Pods of a cluster over a server in the test's memory, with a Task and a Project and a clock that stands still. */
import { captureLog, type LogCapture } from '../../../http/testing/fixture.ts'
import { simulatedClock, type SimulatedClock } from '../../../runtime/simulated-clock.ts'
import type { PodObservation } from '../../ports/pods.ts'
import { pathOf } from '../api/api.ts'
import { KubernetesPods, type KubernetesPodsOptions } from '../pods/pods.ts'
import { FakeCache } from './fake-cache.ts'
import { MemoryServer } from './memory-server.ts'
import { plainProject, podInputs } from './pod-fixture.ts'
import { settle } from './scripted-client.ts'

export interface PodScene {
  readonly server: MemoryServer
  readonly clock: SimulatedClock
  readonly log: LogCapture
  readonly pods: KubernetesPods
  /** Another process of the same orchestrator. */
  restart(): KubernetesPods
  /** What a listener of `pods` heard. */
  readonly heard: PodObservation[]
  /** Moves the clock, and lets all that falls due go on. */
  pass(ms: number): Promise<void>
}

export const at = (plural: string, name: string, apiVersion = 'v1'): string =>
  pathOf({ apiVersion, plural }, { namespace: 'default', name })

export const taskPath = at('tasks', 'implement-a-1', 'platform.dev/v1alpha1')
export const projectPath = at('projects', 'demo', 'platform.dev/v1alpha1')
export const podPath = at('pods', 'implement-a-1-2')

export function podScene(options: Partial<KubernetesPodsOptions> = {}, project: object = plainProject): PodScene {
  const clock = simulatedClock(Date.parse('2026-01-01T00:00:00Z'))
  const server = new MemoryServer(() => clock.now())
  const log = captureLog()
  server.put(taskPath, { metadata: { uid: 'uid-of-task' } })
  server.put(projectPath, { metadata: { uid: 'uid-of-demo' }, spec: project })
  const cache = new FakeCache(server, 'Pod')
  const restart = (): KubernetesPods =>
    new KubernetesPods({
      client: server,
      cache,
      tasks: { list: () => server.all('Task') },
      image: 'statewright/wrapper:v0',
      security: { runAsNonRoot: false },
      workspaces: false,
      inputs: async () => podInputs,
      clock,
      random: () => 0.5,
      logger: log.logger,
      ...options,
    })
  const pods = restart()
  pods.begin()
  const heard: PodObservation[] = []
  pods.watch(async (observation) => void heard.push(observation))
  const pass = async (ms: number): Promise<void> => {
    await settle()
    await settle(clock.advance(ms))
  }
  return { server, clock, log, pods, restart, heard, pass }
}

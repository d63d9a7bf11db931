/** Pods of a cluster over a server in the test's memory, with a Task and a Project and a clock that stands still. */
import { captureLog, type LogCapture } from '../../../http/testing/fixture.ts'
import { simulatedClock, type SimulatedClock } from '../../../runtime/simulated-clock.ts'
import type { PodObservation } from '../../ports/pods.ts'
import { KubernetesPods, type KubernetesPodsOptions } from '../pods.ts'
import { plainProject, podInputs } from './pod-fixture.ts'
import { at, PodServer, projectPath, taskPath } from './pod-server.ts'
import { settle } from './scripted-client.ts'

export interface PodScene {
  readonly server: PodServer
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

export const podPath = at('pods', 'implement-a-1-2')

const apiVersion = 'platform.dev/v1alpha1'

export function podScene(options: Partial<KubernetesPodsOptions> = {}, project: object = plainProject): PodScene {
  const clock = simulatedClock(Date.parse('2026-01-01T00:00:00Z'))
  const server = new PodServer(() => clock.now())
  const log = captureLog()
  server.put(taskPath, {
    apiVersion,
    kind: 'Task',
    metadata: { namespace: 'default', name: 'implement-a-1', uid: 'uid-of-task' },
  })
  server.put(projectPath, {
    apiVersion,
    kind: 'Project',
    metadata: { namespace: 'default', name: 'demo', uid: 'uid-of-demo' },
    spec: project,
  })
  const restart = (): KubernetesPods =>
    new KubernetesPods({
      client: server.client,
      cache: server.cache,
      tasks: { list: () => server.tasks },
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
    clock.advance(ms)
    await settle()
  }
  return { server, clock, log, pods, restart, heard, pass }
}

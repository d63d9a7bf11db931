/** A place whose pods the platform's own adapter makes, by the API server of a cluster. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { podFolders } from '../../../edges/kubernetes/pods/pod-mounts.ts'
import type { PodInputs } from '../../../edges/ports/pods.ts'
import { familyOf, identify } from '../../../edges/local/processes.ts'
import { numbersOf } from '../../../wrapper/space/holder.ts'
import { openWorld, socketFolderOf, waitFor, type PodWorld, type WorldOptions } from '../../../wrapper/testing/pod.ts'
import { cliIn, type PlacedPod, type PodPlace } from './pod-places.ts'
import type { Cluster, ClusterPod } from './cluster.ts'

/** As the adapter has them. */
const places = new Set(['PATH', 'HOME', 'WORKSPACE_DIR', 'STATE_DIR', 'HTTP_ADDR', 'INTERNAL_ADDR'])
const readyLimitMs = 60_000
/** A container's first process. */
const first = 1

interface ClusterPodsOptions extends WorldOptions {
  readonly task: string
  readonly image: string
}

export async function openClusterPods(cluster: Cluster, options: ClusterPodsOptions): Promise<PodPlace> {
  const world = await openWorld(options)
  const task = await cluster.openTask({ name: options.task, image: options.image })
  let ordinal = 0
  return {
    world: {
      ...world,
      workspace: podFolders.workspace,
      stateDir: podFolders.state,
      home: podFolders.home,
    },
    async start(variables) {
      const pod = await task.create((ordinal += 1), inputsOf(world.environment(variables)))
      await waitFor(
        () => pod.url() !== undefined || pod.end() !== undefined,
        readyLimitMs,
        () => `the pod is not ready:\n${pod.log()}`,
      )
      if (pod.end() !== undefined) throw new Error(`the pod ended: ${JSON.stringify(pod.end())}\n${pod.log()}`)
      return placed(pod, world)
    },
    async close() {
      await task.close()
      await world.close()
    },
  }
}

/** Secrets are files out here, which nobody reads again. */
function inputsOf(environment: Readonly<Record<string, string>>): PodInputs {
  const all = Object.entries(environment).filter(([name]) => !places.has(name))
  const isFile = ([name]: readonly [string, string]): boolean => name.endsWith('_FILE')
  return {
    env: { LOG_LEVEL: 'info', ...Object.fromEntries(all.filter((one) => !isFile(one))) },
    secrets: Object.fromEntries(all.filter(isFile).map(([name, file]) => [name, taken(file)])),
    files: {},
  }
}

function taken(file: string): string {
  const text = readFileSync(file, 'utf8')
  rmSync(file)
  return text
}

function placed(pod: ClusterPod, world: PodWorld): PlacedPod {
  const url = pod.url()!
  const call = world.callerOf(url)
  const outside = (path: string): string => join(`/proc/${pod.first()}/root`, path)
  return {
    url,
    wrapper: first,
    log: () => pod.log(),
    turn: async (text) => {
      const accepted = await call('POST', '/v1/messages', { text })
      if (accepted.status !== 202) throw new Error(`not accepted: ${accepted.status} ${accepted.text}`)
      const path = `/v1/messages/${accepted.body.turnId}`
      await waitFor(
        async () => !(await call('GET', path)).text.includes('"state":"running"'),
        40_000,
        () => `a turn did not end:\n${pod.log()}`,
      )
    },
    hasEnded: () => pod.end() !== undefined,
    end: () => pod.remove({ force: false }),
    cli: () => numberOutHere(pod.first(), cliIn(outside(podFolders.state))),
    sockets: () => socketFolderOf({ process: { pid: pod.first() } }),
    outside,
  }
}

/** Of a process that the pod knows by `number`. */
function numberOutHere(wrapper: number, number: number): number {
  const depth = numbersOf(wrapper).length - 1
  const family = familyOf(identify(wrapper)!)
  const found = family.find(({ pid }) => numbersOf(pid)[depth] === number)
  if (found === undefined) throw new Error(`the pod has no process ${number}`)
  return found.pid
}

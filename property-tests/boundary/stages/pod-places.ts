/** Where a stage has its pods, and what it asks of one that runs: its paths are the pod's own, and lie elsewhere out here. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openWorld, socketFolderOf, type Pod, type PodWorld, type WorldOptions } from '../../../wrapper/testing/pod.ts'

export interface PlacedPod {
  readonly url: string
  /** The wrapper's number, as a command without walls sees it. */
  readonly wrapper: number
  log(): string
  /** Submits, and waits for the recorded result. */
  turn(text: string): Promise<unknown>
  hasEnded(): boolean
  /** Gracefully; resolves once it has ended. */
  end(): Promise<void>
  /** Of the CLI, by its number out here. */
  cli(): number
  /** The folder of the wrapper's sockets, as the pod has it. */
  sockets(): string
  /** Where a path of the pod lies on this machine. */
  outside(path: string): string
}

/** Folders as the pod has them, and the services around it. */
export interface PlaceWorld extends Pick<PodWorld, 'dir' | 'origin' | 'model' | 'workspace' | 'stateDir' | 'home'> {}

export interface PodPlace {
  readonly world: PlaceWorld
  /** Of one Task, whose pods share their workspace. Variables that end in _FILE name files, which are read once. */
  start(variables: Readonly<Record<string, string>>): Promise<PlacedPod>
  close(): Promise<void>
}

/** Processes of this machine, each with the wrapper. */
export async function openProcesses(options: WorldOptions): Promise<PodPlace> {
  const world = await openWorld(options)
  return {
    world,
    start: async (variables) => placed(await world.start(variables), world),
    close: () => world.close(),
  }
}

function placed(pod: Pod, world: PodWorld): PlacedPod {
  const { url, log, turn } = pod
  return {
    ...{ url, log, turn },
    wrapper: pod.process.pid!,
    hasEnded: () => pod.process.exitCode !== null,
    end: async () => {
      pod.process.kill('SIGTERM')
      await pod.exit
    },
    cli: () => cliIn(world.stateDir),
    sockets: () => socketFolderOf(pod),
    outside: (path) => path,
  }
}

/** Of the CLI, as the wrapper knows it. */
export function cliIn(stateDir: string): number {
  return (JSON.parse(readFileSync(join(stateDir, 'agent.json'), 'utf8')) as { readonly pid: number }).pid
}

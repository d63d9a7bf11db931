import { portOwner } from '../../../edges/local/memory/port-owner.ts'
import { freePort as freePortBy, isFree } from '../../../edges/local/memory/ports.ts'
import { loopback, reachable } from './pod-addresses.ts'

/** Of a stack's programs. Identity provider and model: absent where any free one does. */
export interface Ports {
  readonly http: number
  readonly memory: number
  readonly internal: number
  readonly identity?: number
  readonly model?: number
}

interface Wanted {
  /** Of the orchestrator; the others follow it. 0: any free ones. */
  readonly port: number
  readonly memory: boolean
  /** Of memory services that an earlier start left, with which the next one goes on; absent: none. */
  readonly left?: readonly number[]
  /** Where pods of another machine reach what listens here: then each port is one that people can open. */
  readonly listen?: string
}

/** @throws where one of them is in use, by whom. */
export async function choosePorts({ port, memory, left = [], listen }: Wanted): Promise<Ports> {
  if (port === 0) return { http: await freePort(), memory: await freePort(), internal: await freePort() }
  const standIns = listen === undefined ? {} : { identity: port + 3, model: port + 4 }
  const wanted = [port, ...(memory && !left.includes(port + 1) ? [port + 1] : []), port + 2, ...Object.values(standIns)]
  for (const each of wanted) {
    if (await isFree(each, reachable(listen ?? loopback.listen))) continue
    const owner = portOwner(each) ?? 'another program'
    throw new Error(`port ${each} is in use by ${owner}: stop it, or choose other ports with --port`)
  }
  return { http: port, memory: port + 1, internal: port + 2, ...standIns }
}

/** The port of an earlier start while nobody else has it; 0 for any. */
export async function portOf(url: string | undefined): Promise<number> {
  const port = url ? Number(new URL(url).port) : 0
  return port !== 0 && (await isFree(port)) ? port : 0
}

export function freePort(): Promise<number> {
  return freePortBy(Math.random)
}

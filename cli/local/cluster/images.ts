/** The images of a release as folders of this machine, and how the stand-in kubelet starts them. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { programDir, version } from '../../program.ts'

export interface ReleaseImages {
  /** By name as the chart renders it: the words of its entry point. */
  readonly images: Readonly<Record<string, readonly string[]>>
  /** What containers must find at its own path. */
  readonly folder: string
  /** The agent CLI in the wrapper's image. */
  readonly agentCli: readonly string[]
}

/** As a release names it, and as the chart does without values. */
export function releaseImage(program: string): string {
  return `statewright-${program}:v${version()}`
}

/** A machine that does other work too. */
const buildLimitMs = 10 * 60_000

/** Built by the script that the Dockerfiles call. */
export async function buildImages(folder: string): Promise<ReleaseImages> {
  const script = join(programDir, 'bin', 'image-tree.mjs')
  if (!existsSync(script)) throw new Error(`there is no ${script}: --chart runs from a clone of the repository`)
  for (const program of ['orchestrator', 'wrapper'])
    await promisify(execFile)(process.execPath, [script, program, join(folder, program)], { timeout: buildLimitMs })
  const programOf = (name: string): string => join(folder, name, 'app', 'bin', 'statewright.mjs')
  return {
    folder,
    images: {
      [releaseImage('orchestrator')]: programOnOwnAddress(programOf('orchestrator')),
      [releaseImage('wrapper')]: wrapperImage(
        programOf('wrapper'),
        join(folder, 'wrapper', 'usr', 'local', 'bin', 'cc-statusline'),
      ),
    },
    agentCli: [join(folder, 'wrapper', 'usr', 'local', 'bin', 'claude')],
  }
}

/** All interfaces of its pod are the pod's own address. */
export function programOnOwnAddress(program: string): readonly string[] {
  const ownAddress = join(programDir, 'standins', 'kubelet', 'own-address.mjs')
  return ['env', `NODE_OPTIONS=--import=${ownAddress}`, process.execPath, program]
}

/** As the image has them: its Node among the programs, its status line where the contract says. */
export function wrapperImage(program: string, statusLine: string): readonly string[] {
  const start = 'PATH="$1:$PATH" STATUSLINE_PATH="$2" exec "$3" "$4" wrapper'
  return ['/bin/sh', '-c', start, 'wrapper', dirname(process.execPath), statusLine, process.execPath, program]
}

/**
 * What the place where a wrapper would run grants to it: folders that it may write, users of its own, and the namespaces in
 * which an agent runs. It opens the very walls of a wrapper (space/open-walls.ts), and looks through them.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../boot/config.ts'
import type { Clock } from '../clock.ts'
import { makeSocketFolder } from '../sockets/agent-sockets.ts'
import { openWalls, type Walls } from '../space/open-walls.ts'
import type { Seclusion } from '../space/space.ts'
import { codeOf, messageOf } from '../errors.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface WallsProbe {
  /** HOME, STATE_DIR, WORKSPACE_DIR and AGENT_SECLUSION count, as for a wrapper. */
  readonly env: Environment
  readonly isRoot: boolean
  /** Path of the wrapper's Node. */
  /** Folder of this program. */
  readonly program: string
  readonly node: string
  /** As `/proc/self/uid_map` has it. */
  readonly uidMap: string
  readonly clock: Clock
}

export interface WallsReport {
  readonly probe: 'walls'
  /** False: user numbers are those of the machine. */
  readonly ownUsers: boolean
  /** Folders that the wrapper may not write, each with the error's code. */
  readonly unwritable: readonly string[]
  /** Absent: the walls did not open. */
  readonly kind?: Seclusion
  /** Why a kind of namespaces was refused. */
  readonly refusals: readonly string[]
  /** What was seen or was missing behind walls that did open; empty: they hold. */
  readonly faults: readonly string[]
}

const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/** The whole range of numbers, each as itself: the first user namespace of a machine (user_namespaces(7)). */
const machineUsers = /^\s*0\s+0\s+4294967295\s*$/
const own = 'statewright-probe'
const runLimitMs = 20_000
/** A report has to fit into the last message of a container, 4096 bytes. */
const longestReason = 500

export async function probeWalls(probe: WallsProbe): Promise<WallsReport> {
  const { env, uidMap } = probe
  const folders = {
    home: env['HOME'] ?? '',
    stateDir: env['STATE_DIR'] ?? '',
    workspaceDir: env['WORKSPACE_DIR'] ?? '',
  }
  const unwritable = Object.values(folders).flatMap(unwritableIn)
  const refusals: string[] = []
  const found = { probe: 'walls', ownUsers: !machineUsers.test(uidMap), unwritable } as const
  if (unwritable.length > 0) return { ...found, refusals, faults: [] }
  const [witness, clone] = [join(folders.stateDir, own), join(folders.workspaceDir, own)]
  const link = makeSocketFolder()
  try {
    writeFileSync(witness, 'nobody but the wrapper sees it\n')
    // The wrapper's files for the CLI are there before the view opens.
    for (const path of [clone, join(folders.home, '.claude')]) mkdirSync(path, { recursive: true })
    const walls = await open(probe, { ...folders, link: link.path, refusals })
    try {
      await walls.openView([own])
      return { ...found, kind: walls.kind, refusals, faults: faultsOf(walls, { witness, clone, env }) }
    } finally {
      await walls.space.close()
    }
  } catch (error) {
    return { ...found, refusals: [...refusals, textOf(error)], faults: [] }
  } finally {
    link.remove()
    for (const path of [witness, clone, join(folders.stateDir, 'space', own)])
      rmSync(path, { recursive: true, force: true })
  }
}

interface Opening extends Pick<Config, 'home' | 'stateDir' | 'workspaceDir'> {
  readonly link: string
  readonly refusals: string[]
}

function open(
  { env, isRoot, node, program, clock }: WallsProbe,
  { link, refusals, ...folders }: Opening,
): Promise<Walls> {
  const identity = { task: own, project: own, profile: 'implement', pod: 1, contractVersion: 0 }
  return openWalls({
    config: {
      ...folders,
      seclusion: env['AGENT_SECLUSION'] === 'none' ? 'none' : 'required',
      path: env['PATH'] || usualPath,
      identity,
      agentCli: ['claude'],
      commandVariables: {},
    },
    isRoot,
    clock,
    link,
    stamp: own,
    programs: [program, dirname(node)],
    onRefusal: (kind, reason) => refusals.push(`${kind}: ${reason}`.slice(0, longestReason)),
  })
}

interface Inside {
  readonly witness: string
  readonly clone: string
  readonly env: Environment
}

/** Of both views: the wrapper's state is covered, the clone may be written, and nothing outside is among the processes. */
function faultsOf(walls: Walls, { witness, clone, env }: Inside): readonly string[] {
  const outside = String(process.pid)
  const start = readFileSync('/proc/self/stat', 'utf8').split(' ')[21] ?? ''
  const script = [
    '[ ! -e "$1" ] || echo "sees the state of the wrapper"',
    ': > "$2/written" 2>/dev/null || echo "may not write a clone"',
    'set -- "$3" "$4" $(cut -d " " -f 22 "/proc/$3/stat" 2>/dev/null)',
    '[ "${3:-}" != "$2" ] || echo "sees processes outside"',
  ].join('\n')
  const command = ['/bin/sh', '-c', script, 'probe', witness, clone, outside, start]
  const views = [
    ['a command', walls.space.wrap(command, true, clone)],
    ['the CLI', walls.view(command)],
  ] as const
  return views.flatMap(([who, [file = '', ...args]]) => {
    const { status, stdout, stderr, error } = spawnSync(file, args, {
      env: { PATH: env['PATH'] || usualPath },
      cwd: '/',
      encoding: 'utf8',
      timeout: runLimitMs,
    })
    const lines = stdout === null ? [] : stdout.split('\n').filter((line) => line !== '')
    const end = error?.message ?? (status === 0 || lines.length > 0 ? '' : `ended with ${status}: ${stderr.trim()}`)
    return [...lines, ...(end === '' ? [] : [end.slice(0, longestReason)])].map((line) => `${who}: ${line}`)
  })
}

function unwritableIn(folder: string): readonly string[] {
  if (folder === '') return ['a folder that the environment does not name']
  const file = join(folder, `.${own}`)
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, '')
    rmSync(file)
    return []
  } catch (error) {
    return [`${folder} (${codeOf(error) ?? textOf(error)})`]
  }
}

function textOf(error: unknown): string {
  return messageOf(error).slice(0, longestReason)
}

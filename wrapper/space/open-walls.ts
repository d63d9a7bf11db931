import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../boot/config.ts'
import { exportLines } from '../boot/command-variables.ts'
import type { Clock } from '../clock.ts'
import { linkInView } from './mounts.ts'
import { openNamespaces } from './namespaces.ts'
import { shims, variablesFile, type ShimOptions } from './shims.ts'
import { openPlainSpace, type CommandSpace, type Seclusion } from './space.ts'
import { messageOf } from '../errors.ts'

/** What stands between the wrapper, the agent's CLI and the agent's commands. */
export interface Walls {
  readonly kind: Seclusion
  /** Where commands run, and every git that touches a clone. */
  readonly space: CommandSpace
  /** The folder of sockets and helper programs as the CLI sees it. */
  readonly link: string
  /** A folder that the CLI may write and no command sees, with a short path: the CLI keeps sockets of its own there. */
  readonly runtime: string
  /** HOME of commands, as the wrapper sees it. */
  readonly commandHome: string
  /** Closes the workspace's root and opens the CLI's view. Once, when the clones are in place. */
  openView(clones: readonly string[]): Promise<void>
  /** The command that runs the CLI. */
  view(command: readonly string[]): readonly string[]
}

interface WallsInput {
  readonly config: Pick<
    Config,
    'seclusion' | 'stateDir' | 'workspaceDir' | 'home' | 'path' | 'identity' | 'agentCli' | 'commandVariables'
  >
  readonly isRoot: boolean
  readonly clock: Clock
  /** The folder of the wrapper's sockets. */
  readonly link: string
  /** Names this boot's folders. */
  readonly stamp: string
  /** Folders of the wrapper's own programs. */
  readonly programs: readonly string[]
  /** Told why a kind of namespaces was refused. */
  readonly onRefusal: (kind: Seclusion, reason: string) => void
}

/** The contract's caches (PROJECT-WORKSPACE-4, PROJECT-WORKSPACE-7), which a Project's pods share. */
const caches = [
  '.cache/pre-commit',
  '.cache/go-build',
  'go/pkg/mod',
  '.cache/pip',
  '.npm',
  '.local/share/mise/downloads',
]

/** @throws where namespaces are required and the machine refuses them. */
export async function openWalls(input: WallsInput): Promise<Walls> {
  const { config, isRoot, link, onRefusal } = input
  const kinds = config.seclusion === 'none' ? [] : isRoot ? (['root', 'user'] as const) : (['user'] as const)
  for (const kind of kinds) {
    try {
      return await openKind(input, kind)
    } catch (error) {
      onRefusal(kind, messageOf(error))
    }
  }
  if (config.seclusion === 'required')
    throw new Error(
      'AGENT_SECLUSION is required, and this machine refuses namespaces to the wrapper; decisions/0028 says what to grant',
    )
  writeShims(link, { ...config, way: [] })
  return {
    kind: 'none',
    space: openPlainSpace(),
    link,
    runtime: link,
    commandHome: config.home,
    openView: async () => undefined,
    view: (command) => command,
  }
}

async function openKind(input: WallsInput, kind: 'root' | 'user'): Promise<Walls> {
  const { config, link, stamp } = input
  const { stateDir, workspaceDir, home, path } = config
  const isReview = config.identity.profile === 'review'
  const own = (name: string): string => join(stateDir, 'space', stamp, name)
  const [commandHome, commandTmp, commandVarTmp] = [own('home'), own('tmp'), own('var-tmp')]
  for (const dir of [commandHome, commandTmp, commandVarTmp, workspaceDir, home]) mkdirSync(dir, { recursive: true })
  const namespaces = await openNamespaces({
    kind,
    path,
    clock: input.clock,
    uid: process.getuid!(),
    gid: process.getgid!(),
    paths: {
      ...{ workspaceDir, stateDir, home, commandHome, commandTmp, commandVarTmp, link },
      // What the author's pod wrote there would be run by the reviewer's.
      caches: isReview ? [] : caches.filter((name) => existsSync(join(home, name))),
      hidden: isReview ? ['.set-aside', '.broken'] : [],
      programs: [...input.programs, ...config.agentCli.filter((word) => word.startsWith('/')).map(dirname)],
    },
  })
  writeShims(link, { ...config, way: namespaces.way })
  return {
    kind,
    space: namespaces.space,
    link: linkInView,
    runtime: dirname(linkInView),
    commandHome,
    openView: (clones) => namespaces.openView(clones),
    view: (command) => namespaces.view(command),
  }
}

/** Into the folder of sockets, which the CLI sees. */
export function writeShims(link: string, options: ShimOptions & Pick<Config, 'commandVariables'>): void {
  const folder = join(link, 'bin')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(link, variablesFile), exportLines(options.commandVariables), { mode: 0o600 })
  for (const [name, text] of Object.entries(shims(options))) writeFileSync(join(folder, name), text, { mode: 0o755 })
}

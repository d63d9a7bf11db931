import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openWalls, type Walls } from '../../../wrapper/space/open-walls.ts'
import { realClock } from '../../../wrapper/testing/pod.ts'
import { isRoot, path } from '../../../wrapper/space/testing/walls.ts'
import type { Setting } from '../attack.ts'

/** The folders of one pod, as the wrapper has them. */
export interface Folders {
  readonly dir: string
  readonly state: string
  readonly workspace: string
  readonly home: string
  readonly link: string
  /** In the wrapper's state: whoever writes here ran where the wrapper runs. */
  readonly canaries: string
  remove(): void
}

/** Of the contract's caches, some that hold programs. */
export const caches = ['.npm', '.cache/pip', '.cache/pre-commit', 'go/pkg/mod'] as const

export function makeFolders(): Folders {
  const dir = mkdtempSync(join(tmpdir(), 'boundary-'))
  const at = (name: string): string => join(dir, name)
  for (const name of ['state/canaries', 'workspace', 'home/.claude', 'link', ...caches.map((cache) => `home/${cache}`)])
    mkdirSync(at(name), { recursive: true })
  return {
    dir,
    state: at('state'),
    workspace: at('workspace'),
    home: at('home'),
    link: at('link'),
    canaries: at('state/canaries'),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** As the supervisor opens them; where the namespaces are down, the way that a machine without them goes. */
export function wallsOf(folders: Folders, { profile, down }: Setting, stamp: string, programs = path): Promise<Walls> {
  const { state, workspace, home, link } = folders
  const isDown = down.has('namespaces')
  return openWalls({
    config: {
      seclusion: isDown ? 'none' : 'required',
      stateDir: state,
      workspaceDir: workspace,
      home,
      path: programs,
      identity: { task: 't', project: 'p', profile, pod: 1, contractVersion: 4 },
      agentCli: ['claude'],
      commandVariables: {},
    },
    isRoot,
    link,
    stamp,
    programs: [join(import.meta.dirname, '..', '..', '..'), dirname(process.execPath)],
    clock: realClock,
    onRefusal: () => undefined,
  })
}

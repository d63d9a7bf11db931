/** The two ends of the wire, and a server that lies in place of the clone's upload-pack. */
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { path } from '../../../wrapper/space/testing/walls.ts'
import type { CommandSpace } from '../../../wrapper/space/space.ts'
import { makeOrigin, runGit } from '../../../wrapper/testing/pod.ts'
import { shellWords } from '../../../wrapper/boot/shell-words.ts'
import { createOutsideGit, outsideSide } from '../../../wrapper/workspace/outside/git.ts'
import { makeBare, takeWork, type Bare } from '../../../wrapper/workspace/outside/bare.ts'
import type { GitResult } from '../../../wrapper/workspace/git.ts'
import type { Setting, Stage } from '../attack.ts'
import { branch } from './clones.ts'
import { makeFolders, wallsOf } from './folders.ts'
import { wireOf } from './loose-wire.ts'
import { heard } from './say.ts'

/** Low, so that a lie beyond them is quickly told. */
export const limits = { refs: 200, objects: 1000, bytes: 4 * 1024 * 1024 }
const timeoutMs = 4000

export interface LyingServer {
  readonly bare: string
  readonly clone: string
  /** What the liar does. */
  lie: string
  /** Another program in place of the liar. */
  words: readonly string[]
  /** How the taking git ended. */
  ended: GitResult | undefined
  took(): Promise<void>
  run(script: string): Promise<void>
  /** Bytes that the server got rid of before it was ended. */
  sent(): number
  refs(): readonly string[]
  has(sha: string): boolean
}

const liar = join(import.meta.dirname, 'liar.mjs')
const identity = { login: 'bot', email: 'bot@example.invalid' }

export async function openWires(setting: Setting): Promise<Stage<LyingServer>> {
  const folders = makeFolders()
  const origin = makeOrigin(folders.dir)
  const { space } = await wallsOf(folders, setting, 'boot-1')
  const own = { path, home: join(folders.state, 'git-home'), identity }
  mkdirSync(own.home)
  const git = createOutsideGit(own)
  let count = 0
  return {
    scene: async () => {
      const name = `lib-${(count += 1)}`
      const clone = join(folders.workspace, name)
      runGit(folders.workspace, 'clone', '--quiet', origin, clone)
      const dir = await makeBare(git, join(folders.state, 'git'), name)
      const bare: Bare = { dir, repository: { name, dir: clone, url: origin, base: 'main', branch, sha: '' } }
      const told = join(clone, '.git', 'sent')
      const scene: LyingServer = {
        bare: dir,
        clone,
        lie: '',
        words: [],
        ended: undefined,
        took: async () => {
          const words =
            scene.words.length > 0 ? scene.words : [process.execPath, liar, scene.lie, join(clone, '.git'), branch]
          const wire = wireOf({
            ...{ path, identity, limits, timeoutMs },
            space: lying(space, words),
            outside: outsideSide(own),
            down: setting.down,
            dir: own.home,
            server: shellWords(words),
          })
          await takeWork(async (crossing) => (scene.ended = await wire(crossing)), bare)
        },
        run: async (script) => {
          const env = { PATH: `${path}:${dirname(process.execPath)}`, HOME: folders.home }
          const named = 'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b;'
          const child = space.spawn(['/bin/sh', '-c', named + script], {
            cwd: clone,
            env,
            stdio: 'pipe',
            network: true,
          })
          const { status, said } = await heard(child)
          if (status !== 0) throw new Error(said)
        },
        sent: () => (statSync(told, { throwIfNoEntry: false }) ? Number(readFileSync(told, 'utf8')) : 0),
        refs: () => runGit(dir, 'for-each-ref', '--format=%(refname)').split('\n').filter(Boolean),
        has: (sha) => {
          try {
            return runGit(dir, 'cat-file', '-t', sha) !== ''
          } catch {
            return false
          }
        },
      }
      return scene
    },
    close: async () => {
      await space.close()
      folders.remove()
    },
  }
}

/** As if the agent had put another program in the place of git. */
function lying(space: CommandSpace, words: readonly string[]): CommandSpace {
  return {
    ...space,
    spawn: (command, run) => space.spawn(command.includes('upload-pack') ? words : command, run),
  }
}

/** Both views of a pod, its neighbours and its sockets, without git and without the CLI. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { path } from '../../../wrapper/space/testing/walls.ts'
import type { Walls } from '../../../wrapper/space/open-walls.ts'
import { TranscriptTail } from '../../../wrapper/turns/transcript-tail.ts'
import { refuseWithoutRoot, type Setting, type Stage, type Wall } from '../attack.ts'
import { makeFolders, wallsOf, type Folders } from './folders.ts'
import { run, type Said } from './say.ts'

export const secret = 'a-canary-of-the-wrapper'

/** One pod, shared by the attacks of a stage: each has its own names in it. */
export interface Views {
  readonly folders: Folders
  readonly walls: Walls
  readonly clone: string
  /** The attack's own word, for names of files. */
  readonly mark: string
  /** A process beside the wrapper with a secret in its environment, and an open file that holds it. */
  readonly neighbour: number
  /** The same in the CLI's view. */
  readonly sibling: number
  /** Of what the neighbour keeps in shared memory. */
  readonly segmentKey: number
  /** The name of a socket beside the wrapper that has no path. */
  readonly abstract: string
  /** What the wrapper's sockets were told. */
  readonly heard: readonly string[]
  /** All that the attack's commands printed. */
  said: string
  run(script: string): Promise<Said>
  /** As a git of the clone, or a hook of it. */
  git(script: string): Promise<Said>
  /** As a file tool of the CLI. */
  view(script: string, env?: Readonly<Record<string, string>>): Promise<Said>
  /** The wrapper is asked for its transcript, after a hook that named this path. */
  transcript(path: string): Promise<void>
  /** As the CLI calls its shell, for a command or otherwise. */
  shell(...args: readonly string[]): Promise<Said>
  /** As the CLI calls another of its helper programs. */
  helper(name: string, ...args: readonly string[]): Promise<Said>
}

/** On a machine that mounts no overlay file system. */
export function openViewsWithoutOverlay(setting: Setting): Promise<Stage<Views>> {
  return openViews(setting, withoutOverlay)
}

/** Puts a program before the machine's own `mount`; answers the PATH by which it is found. */
function withoutOverlay({ dir }: Folders): string {
  const programs = join(dir, 'programs')
  mkdirSync(programs)
  const text = `#!/bin/sh\ncase " $* " in *' overlay '*) exit 1 ;; esac\nPATH='${path}' exec mount "$@"\n`
  writeFileSync(join(programs, 'mount'), text, { mode: 0o755 })
  return `${programs}:${path}`
}

export async function openViews(
  setting: Setting,
  pathOf: (folders: Folders) => string = () => path,
): Promise<Stage<Views>> {
  refuseWithoutRoot(setting.down, ['read-only', 'nosymfollow'])
  const folders = makeFolders()
  const clone = join(folders.workspace, 'lib')
  mkdirSync(join(clone, 'deep'), { recursive: true })
  writeFileSync(join(clone, 'tracked.txt'), 'tracked\n')
  const witness = join(folders.state, 'turns.jsonl')
  writeFileSync(witness, `${secret}\n`)
  writeFileSync(join(folders.home, '.claude', 'settings.json'), `{"canary":"${secret}"}\n`)
  writeFileSync(join(folders.workspace, 'CLAUDE.md'), 'obey\n')
  const heard: string[] = []
  const abstract = `${basename(folders.dir)}-abstract`
  const servers = [await listen(join(folders.link, 'model.sock'), heard), await listen(`\0${abstract}`, heard)]
  const shared = `/dev/shm/${basename(folders.dir)}`
  writeFileSync(shared, `${secret}\n`)
  const walls = await wallsOf(folders, setting, 'boot-1', pathOf(folders))
  await walls.openView(['lib'])
  await takeDown(walls, folders, setting.down)
  const { neighbour, sibling } = neighboursOf(walls, folders, witness)
  const segment = makeSegment(neighbour.pid!)
  let count = 0
  return {
    scene: async () => sceneOf(`${basename(folders.dir)}-${(count += 1)}`),
    close: async () => {
      for (const child of [neighbour, sibling]) child.kill('SIGKILL')
      segment.remove()
      await walls.space.close()
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
      rmSync(shared)
      folders.remove()
    },
  }
  function sceneOf(mark: string): Views {
    const scene: Views = {
      ...{ folders, walls, clone, mark, heard, abstract },
      segmentKey: segment.key,
      neighbour: neighbour.pid!,
      sibling: sibling.pid!,
      said: '',
      run: (script) =>
        remembered(run(walls.space.wrap(['/bin/sh', '-c', script], true, clone), commandEnvironment(folders), clone)),
      git: (script) => {
        const words = walls.space.wrap(['/bin/sh', '-c', script], setting.down.has('offline'), clone)
        return remembered(run(words, commandEnvironment(folders), clone))
      },
      view: (script, env = {}) =>
        remembered(
          run(walls.view(['/bin/sh', '-c', script]), { ...cliEnvironment(folders, walls), ...env }, folders.workspace),
        ),
      transcript: async (path) => {
        const tail = new TranscriptTail(folders.home)
        tail.follow(path)
        const file = await (setting.down.has('own-transcript') ? open(path) : tail.open()).catch(() => undefined)
        scene.said += (await file?.readFile('utf8')) ?? ''
        await file?.close()
      },
      shell: (...args) => scene.helper('bash', ...args),
      helper: (name, ...args) =>
        remembered(
          run(walls.view([join(walls.link, 'bin', name), ...args]), cliEnvironment(folders, walls), folders.workspace),
        ),
    }
    const remembered = async (work: Promise<Said>): Promise<Said> => {
      const said = await work
      scene.said += `${said.said}\n`
      return said
    }
    return scene
  }
}

function neighboursOf(
  walls: Walls,
  { workspace }: Folders,
  witness: string,
): { neighbour: ChildProcess; sibling: ChildProcess } {
  const script = `exec 7<>${witness}; exec perl -e 'sleep 600' ${secret}`
  const env = { PATH: path, SECRET: secret }
  const [file, ...args] = walls.view(['/bin/sh', '-c', 'exec sleep 601'])
  return {
    neighbour: spawn('/bin/sh', ['-c', script], { env, stdio: 'ignore' }),
    sibling: spawn(file!, args, { env, stdio: 'ignore', cwd: workspace }),
  }
}

/** A segment and a queue of System V: the kernel has them beside any file system. */
function makeSegment(key: number): { readonly key: number; remove(): void } {
  const perl = (script: string): void => void execFileSync('perl', ['-e', script, String(key), secret])
  perl('$id = shmget($ARGV[0], 64, 01600); shmwrite($id, $ARGV[1], 0, 64); msgget($ARGV[0], 01600)')
  return { key, remove: () => perl('shmctl(shmget($ARGV[0], 64, 0), 0, 0); msgctl(msgget($ARGV[0], 0), 0, 0)') }
}

async function listen(at: string, heard: string[]): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('data', (chunk) => heard.push(chunk.toString())).on('error', () => undefined)
    socket.unref()
  })
  await new Promise<void>((resolve) => server.listen(at, resolve))
  return server
}

/** What stands in a view as a mount can be taken away from outside, by who made its namespaces. */
async function takeDown(walls: Walls, { home, workspace, link }: Folders, down: ReadonlySet<Wall>): Promise<void> {
  if (down.has('clean-environment')) for (const name of ['bash', 'git', 'inside']) dirty(join(link, 'bin', name))
  const remounts: Partial<Record<Wall, readonly (readonly [view: readonly string[], script: string])[]>> = {
    'read-only': [
      [
        privileged(walls.view([])),
        `for at in ${workspace} ${home}/.claude/*; do mount -n -o remount,bind,rw $at || true; done`,
      ],
      [privileged(walls.space.wrap([], true)), `mount -n -o remount,bind,rw ${workspace}`],
    ],
    nosymfollow: [
      [
        privileged(walls.view([])),
        `for at in ${workspace} ${workspace}/lib /tmp; do mount -n -o remount,bind,symfollow,rw $at; done`,
      ],
    ],
  }
  for (const wall of down)
    for (const [words, script] of remounts[wall] ?? []) {
      const { status, said } = await run([...words, '/bin/sh', '-c', script], { PATH: path })
      if (status !== 0) throw new Error(`${wall} could not be taken down: ${said}`)
    }
}

/** A helper program of the CLI that hands on all of its environment. */
function dirty(file: string): void {
  const text = readFileSync(file, 'utf8')
  if (!text.includes('env -i ')) throw new Error(`${file} cleans nothing`)
  writeFileSync(file, text.replaceAll('env -i ', 'env '))
}

/** The words that enter, without those that give up rights. */
function privileged(words: readonly string[]): readonly string[] {
  return words.slice(0, words.indexOf('--') + 1)
}

function commandEnvironment({ home }: Folders): Readonly<Record<string, string>> {
  return { PATH: `${path}:${dirname(process.execPath)}`, HOME: home, LC_ALL: 'C' }
}

/** What the CLI's own environment holds that leads to it. */
export const cliCanary = 'a-canary-of-the-cli'
function cliEnvironment({ home }: Folders, { link }: Walls): Readonly<Record<string, string>> {
  return {
    PATH: `${link}/bin:${path}`,
    HOME: home,
    ANTHROPIC_API_KEY: cliCanary,
    ANTHROPIC_UNIX_SOCKET: `${link}/model.sock`,
    CLAUDE_CODE_MESSAGING_TOKEN: cliCanary,
    CLAUDECODE: '1',
    // What git and the shell would obey, were it handed on.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'alias.told',
    GIT_CONFIG_VALUE_0: `!echo ${cliCanary}`,
  }
}

import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Config } from '../../boot/config.ts'
import { realClock } from '../../testing/pod.ts'
import { openWalls, type Walls } from '../open-walls.ts'
import type { Seclusion } from '../space.ts'

export const path = '/usr/sbin:/usr/bin:/sbin:/bin'
export const isRoot = process.getuid?.() === 0

/** The folders of one pod, with a witness in each that nobody but the wrapper may read. */
export interface Place {
  readonly dir: string
  readonly config: Pick<
    Config,
    'seclusion' | 'stateDir' | 'workspaceDir' | 'home' | 'path' | 'identity' | 'agentCli' | 'commandVariables'
  >
  readonly link: string
  readonly witness: string
  remove(): void
}

export function makePlace(seclusion: Config['seclusion'] = 'required', profile = 'implement'): Place {
  const dir = mkdtempSync(join(tmpdir(), 'walls-'))
  const at = (name: string): string => join(dir, name)
  for (const name of ['state', 'workspace/lib', 'home/.claude', 'link']) mkdirSync(at(name), { recursive: true })
  const witness = join(at('state'), 'turns.jsonl')
  writeFileSync(witness, 'the turns\n')
  writeFileSync(join(at('workspace'), 'CLAUDE.md'), 'obey\n')
  writeFileSync(join(at('home/.claude'), 'settings.json'), '{}\n')
  writeFileSync(join(at('link'), 'model.sock'), 'stands for a socket\n')
  const identity = { task: 't', project: 'p', profile, pod: 1, contractVersion: 4 }
  const dirs = { stateDir: at('state'), workspaceDir: at('workspace'), home: at('home') }
  return {
    dir,
    witness,
    link: at('link'),
    config: { seclusion, path, identity, agentCli: ['claude'], commandVariables: {}, ...dirs },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

export function wallsAt(place: Place, kind: Seclusion): Promise<Walls> {
  return openWalls({
    config: { ...place.config, ...(kind === 'none' ? { seclusion: 'none' as const } : {}) },
    isRoot: kind === 'root',
    link: place.link,
    clock: realClock,
    stamp: 'boot-1',
    programs: [join(import.meta.dirname, '..', '..', '..'), dirname(process.execPath)],
    onRefusal: () => undefined,
  })
}

/** Each that this machine grants to who runs the tests. */
export async function grantedKinds(): Promise<readonly Exclude<Seclusion, 'none'>[]> {
  const granted = await Promise.all((['root', 'user'] as const).map(isGranted))
  return granted.flatMap((kind) => kind ?? [])
}

async function isGranted(kind: 'root' | 'user'): Promise<'root' | 'user' | undefined> {
  if (kind === 'root' && !isRoot) return undefined
  const place = makePlace()
  try {
    const walls = await wallsAt(place, kind)
    await walls.space.close()
    return walls.kind === kind ? kind : undefined
  } catch {
    return undefined
  } finally {
    place.remove()
  }
}

export interface Said {
  readonly status: number | null
  readonly said: string
}

/** Runs a script by words that lead somewhere, and answers what it printed on both. */
export function runWords(words: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = '/'): Said {
  const [file, ...args] = words
  const { status, stdout, stderr } = spawnSync(file!, args, { cwd, env: { PATH: path, ...env }, encoding: 'utf8' })
  return { status, said: `${stdout}${stderr}`.trim() }
}

export function inCommands(walls: Walls, script: string, cwd: string): Said {
  return runWords(walls.space.wrap(['/bin/sh', '-c', script], true, cwd), {}, cwd)
}

export function inView(walls: Walls, script: string, env: Readonly<Record<string, string>> = {}): Said {
  return runWords(walls.view(['/bin/sh', '-c', script]), env)
}

/** Stands for the wrapper and its git: a process of the same user with a secret in its environment. */
export function neighbour(secret: string): { readonly pid: number; end(): void } {
  const child = spawn('/bin/sleep', ['300'], { env: { SECRET: secret }, stdio: 'ignore' })
  return { pid: child.pid!, end: () => void child.kill('SIGKILL') }
}

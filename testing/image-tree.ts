/**
 * Builds the file tree of an image from its Dockerfile without a container engine: every COPY is made, every RUN is either
 * performed below the stage's folder or, where it only concerns the base system or the registry, stands for itself. A
 * command that this doesn't know fails, so that no step of a build goes unseen.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { readInstructions } from './dockerfiles.ts'

export interface Context {
  /** Folder that is sent to the builder. */
  readonly root: string
  /** Names of it that the builder gets. */
  readonly sent: readonly string[]
}

interface Stage {
  readonly root: string
  workdir: string
}

/** @returns the folder of the last stage. */
export function buildTree(dockerfile: string, context: Context, out: string): string {
  const stages = new Map<string, Stage>()
  let stage: Stage = { root: out, workdir: '/' }
  for (const { name, text } of readInstructions(dockerfile)) {
    if (name === 'FROM') {
      const title = / AS (\S+)$/i.exec(text)?.[1] ?? 'last'
      stage = { root: join(out, title), workdir: '/' }
      stages.set(title, stage)
      mkdirSync(stage.root, { recursive: true })
    }
    if (name === 'WORKDIR') stage.workdir = posix.join(stage.workdir, text)
    if (name === 'WORKDIR') mkdirSync(within(stage, '.'), { recursive: true })
    if (name === 'COPY') copy(text, stage, stages, context)
    if (name === 'RUN') for (const command of text.split(/ && /)) perform(command.trim(), stage, context)
  }
  return stage.root
}

function within({ root, workdir }: Stage, path: string): string {
  return join(root, posix.resolve(workdir, path))
}

function copy(text: string, stage: Stage, stages: ReadonlyMap<string, Stage>, context: Context): void {
  const words = text.split(' ')
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length)
  const paths = words.filter((word) => !word.startsWith('--'))
  const target = paths.pop()!
  const to = (source: string): string =>
    target.endsWith('/') || paths.length > 1 ? within(stage, join(target, basename(source))) : within(stage, target)
  for (const source of paths) {
    if (from !== undefined) copyOne(within(stages.get(from)!, source), to(source), () => true)
    else if (source !== '.') copyOne(join(context.root, source), to(source), isSent)
    else for (const name of context.sent) copyOne(join(context.root, name), within(stage, name), isSent)
  }
}

/** What .dockerignore takes out again of the folders that it lets through. */
function isSent(path: string): boolean {
  return !/node_modules|\.test\.ts$|\.log$|\.statewright/.test(path)
}

/** Larger than that is linked: the agent's CLI is one file of 361 MiB. */
const largeBytes = 50 * 2 ** 20

function copyOne(from: string, to: string, filter: (path: string) => boolean): void {
  if (!existsSync(from)) throw new Error(`COPY ${from}: there is no such file`)
  mkdirSync(dirname(to), { recursive: true })
  const isLarge = statSync(from).isFile() && statSync(from).size > largeBytes
  if (isLarge || lstatSync(from).isSymbolicLink()) return symlinkSync(from, to)
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter })
}

/** What only concerns the base system, users or caches, and what npm's own script puts in place. */
const takenAsDone =
  /^(apt-get (update|install)|rm -rf \/var\/lib\/apt|chown |(! )?setpriv |node node_modules\/@anthropic-ai\/)/

function perform(command: string, stage: Stage, context: Context): void {
  const words = command.split(' ')
  if (takenAsDone.test(command)) return
  if (command.startsWith('npm ci')) return install(stage, context)
  if (command === 'node bin/build.mjs')
    return void execFileSync(process.execPath, [within(stage, 'bin/build.mjs')], { cwd: within(stage, '.') })
  if (words[0] === 'ln') return link(words[2]!, words[3]!, stage)
  if (words[0] === 'install') return void mkdirSync(within(stage, words.at(-1)!), { recursive: true })
  if (words[0] !== 'chmod') throw new Error(`RUN ${command}: nobody knows what that does to the tree`)
  if (words[1]!.includes('x')) chmodSync(within(stage, words[2]!), 0o755)
}

/** The product's packages are those of this checkout; of any other lockfile the programs are named, and nothing else. */
function install(stage: Stage, context: Context): void {
  const lock = readFileSync(within(stage, 'package-lock.json'), 'utf8')
  const modules = within(stage, 'node_modules')
  if (lock === readFileSync(join(context.root, 'package-lock.json'), 'utf8'))
    return symlinkSync(join(context.root, 'node_modules'), modules)
  const { packages } = JSON.parse(lock) as { packages: Record<string, { bin?: Record<string, string> }> }
  mkdirSync(join(modules, '.bin'), { recursive: true })
  for (const program of Object.values(packages).flatMap(({ bin = {} }) => Object.keys(bin)))
    writeFileSync(join(modules, '.bin', program), '', { mode: 0o755 })
}

function link(target: string, path: string, stage: Stage): void {
  const place = within(stage, path)
  mkdirSync(dirname(place), { recursive: true })
  if (!existsSync(within(stage, target))) throw new Error(`ln -s ${target}: there is no such file in the tree`)
  symlinkSync(within(stage, target), place)
}

/** Files of the tree by their path in the image; what is linked is not gone into. */
export function filesOf(root: string): readonly string[] {
  return globSync('**/*', { cwd: root, exclude: (name) => name === 'node_modules' }).map((path) => `/${path}`)
}

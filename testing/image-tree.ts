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
  type Stats,
} from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { readInstructions, splitStages, type Stage as Step } from './dockerfiles.ts'

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

/**
 * Builds the stages that a target needs.
 * @param target the title of its stage; absent: the last one.
 * @returns the folder of that stage.
 */
export function buildTree(dockerfile: string, context: Context, out: string, target?: string): string {
  const steps = splitStages(readInstructions(dockerfile))
  const last = target === undefined ? steps.at(-1) : titled(steps, target)
  if (last === undefined) throw new Error(`there is no stage ${target}`)
  const stages = new Map<string, Stage>()
  for (const each of steps.filter((one) => neededBy(last, steps).has(one))) {
    const base = stages.get(each.base)
    const stage = { root: join(out, each.title || 'last'), workdir: base?.workdir ?? '/' }
    stages.set(each.title, stage)
    if (base === undefined) mkdirSync(stage.root, { recursive: true })
    else cpSync(base.root, stage.root, { recursive: true, verbatimSymlinks: true })
    for (const { name, text } of each.steps) {
      if (name === 'WORKDIR') stage.workdir = posix.join(stage.workdir, text)
      if (name === 'WORKDIR') mkdirSync(within(stage, '.'), { recursive: true })
      if (name === 'COPY') copy(text, stage, stages, context)
      if (name === 'RUN') for (const command of text.split(/ && /)) perform(command.trim(), stage, context)
    }
  }
  return stages.get(last.title)!.root
}

function titled(steps: readonly Step[], title: string): Step | undefined {
  return steps.find((each) => each.title === title)
}

function neededBy(step: Step, steps: readonly Step[]): ReadonlySet<Step> {
  const sources = step.steps.flatMap(({ name, text }) =>
    name === 'COPY' ? (/--from=(\S+)/.exec(text)?.[1] ?? []) : [],
  )
  const below = [step.base, ...sources].flatMap((title) => titled(steps, title) ?? [])
  return new Set([step, ...below.flatMap((each) => [...neededBy(each, steps)])])
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
  const put = (path: string, source: string, filter: (each: string) => boolean): void =>
    // Of a folder its content is copied.
    copyOne(path, mustStat(path).isDirectory() ? within(stage, target) : to(source), filter)
  for (const source of paths) {
    if (from !== undefined) put(within(stages.get(from)!, source), source, () => true)
    else if (source !== '.') put(join(context.root, source), source, isSent)
    else for (const name of context.sent) copyOne(join(context.root, name), within(stage, name), isSent)
  }
}

function mustStat(path: string): Stats {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) throw new Error(`COPY ${path}: there is no such file`)
  return stats
}

/** What .dockerignore takes out again of the folders that it lets through. */
function isSent(path: string): boolean {
  return !/node_modules|\.test\.ts$|\.log$|\.statewright/.test(path)
}

/** Larger than that is linked: the agent's CLI is one file of 361 MiB. */
const largeBytes = 50 * 2 ** 20

function copyOne(from: string, to: string, filter: (path: string) => boolean): void {
  mkdirSync(dirname(to), { recursive: true })
  if (lstatSync(from).isSymbolicLink()) return symlinkSync(from, to)
  cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (each, place) => filter(each) && isSmall(each, place),
  })
}

function isSmall(path: string, place: string): boolean {
  const { size } = lstatSync(path)
  if (size > largeBytes) symlinkSync(path, place)
  return size <= largeBytes
}

/** What only concerns the base system, users or caches, and what npm's own script puts in place. */
const takenAsDone =
  /^(apt-get (update|install)|rm -rf \/var\/lib\/apt|chown |(! )?setpriv |node node_modules\/@anthropic-ai\/)/

function perform(command: string, stage: Stage, context: Context): void {
  const words = command.split(' ')
  if (takenAsDone.test(command)) return
  if (command.startsWith('npm ci')) return install(stage, context)
  if (command.startsWith('node bin/image-tree.mjs ')) return writeTree(words.slice(2), stage)
  if (words[0] === 'ln') return link(words[2]!, words[3]!, stage)
  if (words[0] === 'install') return void mkdirSync(within(stage, words.at(-1)!), { recursive: true })
  if (words[0] !== 'chmod') throw new Error(`RUN ${command}: nobody knows what that does to the tree`)
  if (words[1]!.includes('x')) chmodSync(within(stage, words[2]!), 0o755)
}

function writeTree(words: readonly string[], stage: Stage): void {
  const own = words.map((word) => (word.startsWith('/') ? within(stage, word) : word))
  const parameters = [within(stage, 'bin/image-tree.mjs'), ...own]
  execFileSync(process.execPath, parameters, { cwd: within(stage, '.'), stdio: ['ignore', 'ignore', 'inherit'] })
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

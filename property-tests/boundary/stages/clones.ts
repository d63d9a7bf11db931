/** A pod's workspace without its CLI: the command space, git on both sides of the wire, and a forge. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { mostCheckoutBytes } from '../../../runtime/checkout-size.ts'
import { rememberingLogger } from '../../../wrapper/testing/quiet-log.ts'
import { startGateway, type TestGateway } from '../../../wrapper/testing/gateway.ts'
import { makeOrigin, realClock, runGit } from '../../../wrapper/testing/pod.ts'
import { path } from '../../../wrapper/space/testing/walls.ts'
import { lifecycleHookRunner } from '../../../wrapper/boot/lifecycle-hooks.ts'
import type { Walls } from '../../../wrapper/space/open-walls.ts'
import { gitText, type Git } from '../../../wrapper/workspace/git.ts'
import type { Bare } from '../../../wrapper/workspace/outside/bare.ts'
import { createOutsideGit, outsideSide, type CredentialHelper } from '../../../wrapper/workspace/outside/git.ts'
import { openInside, type Inside } from '../../../wrapper/workspace/outside/inside.ts'
import { checkOut } from '../../../wrapper/workspace/outside/prepare.ts'
import type { Crossings } from '../../../wrapper/workspace/outside/crossings.ts'
import { publishAll, push, readHeads } from '../../../wrapper/workspace/outside/publish.ts'
import type { Setting, Stage } from '../attack.ts'
import { makeFolders, wallsOf, type Folders } from './folders.ts'
import { wireOf } from './loose-wire.ts'
import { oldGit, oldTurnEnd } from './old-way.ts'
import { heard, type Said } from './say.ts'

export const branch = 'platform/task-1'
export const credentialCanary = 'credential-url-canary'
const podToken = 'the-pod-token'
const identity = { login: 'bot', email: 'bot@example.invalid' }

/** One attack's repository. */
export interface Plot {
  readonly folders: Folders
  readonly clone: string
  readonly forge: string
  /** A repository of the wrapper's that no agent may see: its work branch has a commit of its own. */
  readonly secret: { readonly dir: string; readonly sha: string }
  readonly bareDir: string
  readonly canaryFile: string
  /** Shell text that writes where only a program beside the wrapper can, with all that it sees, and goes on with `then`. */
  canary(then?: string, name?: string): string
  /** As the agent does, in the clone. */
  run(script: string): Promise<Said>
  write(file: string, text: string): Promise<void>
  turnEnd(): Promise<void>
  safetyPush(): Promise<void>
  /** From here on the agent's side says of its work branch that it stands there. */
  says(sha: string): void
  /** The forge is reached over HTTP from here on, behind the pod's token. Answers its address. */
  overHttp(): Promise<string>
  /** Somebody else's commit on the work branch at the forge. */
  othersPush(file: string, text: string): Promise<void>
  nextPod(): Promise<void>
  /** In the pod after that. */
  runNext(script: string): Promise<Said>
  /** A lifecycle hook of the Project, which runs what the repository says. */
  hook(script: string): Promise<void>
  ranOutside(): boolean
  /** What the canary wrote. */
  stolen(): string
}

interface Pod extends Crossings {
  readonly walls: Walls
  readonly stamp: string
}

export async function openClones(setting: Setting): Promise<Stage<Plot>> {
  const folders = makeFolders()
  const template = makeOrigin(folders.dir)
  const secret = makeSecret(folders)
  const pods: Pod[] = []
  const pod = async (ordinal: number): Promise<Pod> =>
    (pods[ordinal - 1] ??= await openPod(folders, setting, `boot-${ordinal}`))
  await pod(1)
  let plots = 0
  const gateways: TestGateway[] = []
  const overHttp = async (forge: string): Promise<string> => {
    runGit(forge, 'config', 'http.receivepack', 'true')
    const gateway = await startGateway(folders.dir, podToken)
    gateways.push(gateway)
    return `${gateway.url.replace('//', '//x-pod@')}/git/${basename(forge)}`
  }
  return {
    scene: async () => makePlot({ folders, setting, template, secret, pod, overHttp, name: `lib-${(plots += 1)}` }),
    close: async () => {
      for (const { inside } of pods) inside.close()
      await Promise.all(gateways.map((gateway) => gateway.close()))
      await Promise.all(pods.map(({ walls }) => walls.space.close()))
      folders.remove()
    },
  }
}

function makeSecret({ state }: Folders): Plot['secret'] {
  const dir = join(state, 'secret.git')
  mkdirSync(dir, { recursive: true })
  runGit(state, 'init', '--quiet', '--bare', '--initial-branch=main', dir)
  const tree = runGit(dir, 'mktree', '--missing')
  const sha = runGit(dir, 'commit-tree', tree, '-m', 'A secret of another Project')
  for (const name of ['main', branch]) runGit(dir, 'update-ref', `refs/heads/${name}`, sha)
  return { dir, sha }
}

function credentialOf({ state }: Folders): CredentialHelper {
  const program = join(state, 'askpass')
  writeFileSync(program, `#!/bin/sh\necho ${podToken}\n`, { mode: 0o700 })
  return { program, url: `http://127.0.0.1:9/k/${credentialCanary}` }
}

async function openPod(folders: Folders, setting: Setting, stamp: string): Promise<Pod> {
  const walls = await wallsOf(folders, setting, stamp)
  const own = { path, home: join(folders.state, 'git-home'), identity }
  mkdirSync(own.home, { recursive: true })
  const { space } = walls
  const { logger } = rememberingLogger()
  return {
    walls,
    stamp,
    git: createOutsideGit({ ...own, credential: credentialOf(folders) }),
    wire: wireOf({ space, outside: outsideSide(own), path, identity, down: setting.down, dir: own.home }),
    inside: openInside({
      space,
      node: process.execPath,
      workspaceDir: folders.workspace,
      path,
      identity,
      clock: realClock,
      logger,
    }),
  }
}

interface PlotInput {
  readonly folders: Folders
  readonly setting: Setting
  readonly template: string
  readonly secret: Plot['secret']
  readonly pod: (ordinal: number) => Promise<Pod>
  readonly name: string
  readonly overHttp: (forge: string) => Promise<string>
}

async function makePlot(input: PlotInput): Promise<Plot> {
  const { folders, setting, template, secret, name } = input
  const forge = join(folders.dir, `${name}.git`)
  cpSync(template, forge, { recursive: true })
  const clone = join(folders.workspace, name)
  const canaryFile = join(folders.canaries, name)
  const first = await input.pod(1)
  let said: string | undefined
  let url = forge
  const crossings: Crossings = { ...first, inside: saying(first.inside, () => said) }
  const othersPush: Plot['othersPush'] = (file, text) => pushOther(first.git, forge, file, text)
  if (setting.profile === 'review') await othersPush('change.txt', 'the change\n')
  const bare = await boot(input, first, forge)
  const heads = await readHeads(first.git, [bare])
  const old = oldGit({ path, home: first.walls.commandHome, credential: credentialOf(folders) })
  const isOld = setting.down.has('git-outside')
  const runIn = async (pod: Pod, script: string, standard = ''): Promise<Said> =>
    heard(
      pod.walls.space.spawn(['/bin/sh', '-c', script], {
        cwd: clone,
        env: agentEnvironment(folders),
        stdio: ['pipe', 'pipe', 'pipe'],
        network: true,
      }),
      standard,
    )
  const bareNow = (): Bare => ({ ...bare, repository: { ...bare.repository, url } })
  const settled = async (work: () => Promise<unknown>): Promise<void> => {
    if (isOld) await oldTurnEnd(old, clone, url, branch)
    else if (setting.down.has('bare-tips')) await believingPush(crossings, bareNow())
    else await work().catch(() => undefined)
  }
  return {
    ...{ folders, clone, forge, secret, canaryFile, othersPush, bareDir: bare.dir },
    canary: (then = 'cat', of = name) =>
      `( { id; env; cat ${folders.state}/witness; } > ${folders.canaries}/${of} ) 2>/dev/null; ${then}`,
    run: (script) => runIn(first, script),
    write: async (file, text) => {
      const { status, said } = await runIn(first, `mkdir -p "$(dirname '${file}')" && cat > '${file}'`, text)
      if (status !== 0) throw new Error(said)
    },
    turnEnd: () => settled(() => publishAll(crossings, [bareNow()], heads, 'turn-1')),
    safetyPush: () => settled(() => push(crossings, bareNow())),
    says: (sha) => void (said = sha),
    overHttp: async () => (url = await input.overHttp(forge)),
    nextPod: async () => {
      const next = await input.pod(2)
      if (isOld) await oldTurnEnd(old, clone, url, branch)
      else if (!setting.down.has('fresh-start')) await sweepAndBoot(input, next, forge).catch(() => undefined)
    },
    hook: (script) => hookOf(folders, first.walls, clone)(script),
    runNext: async (script) => runIn(await input.pod(2), script),
    ranOutside: () => readdirSync(folders.canaries).some((file) => file === name || file.startsWith(`${name}.`)),
    stolen: () => (existsSync(canaryFile) ? readFileSync(canaryFile, 'utf8') : ''),
  }
}

/** The agent's side, which may say what is not. */
function saying(inside: Inside, sha: () => string | undefined): Inside {
  return {
    ...inside,
    ask: async (operation, request) => {
      const answer = await inside.ask(operation, request)
      const said = sha()
      return said === undefined || !('head' in answer) ? answer : { ...answer, head: said }
    },
  }
}

/** What is pushed where the agent's side is believed. */
async function believingPush({ git, inside }: Crossings, { dir, repository }: Bare): Promise<void> {
  const { name, branch: own, url } = repository
  const { head } = await inside.ask('head', { name, branch: own })
  await git(['push', '--quiet', '--force', url, `${head}:refs/heads/${own}`], { cwd: dir, remote: url })
}

/** As the supervisor boots: first the root of the workspace, then the clone. */
async function sweepAndBoot(input: PlotInput, pod: Pod, forge: string): Promise<void> {
  const { folders, setting } = input
  const isReview = setting.profile === 'review' && !setting.down.has('tracked-only')
  const known = readdirSync(folders.workspace).filter((file) => /^lib-\d+/.test(file))
  await pod.inside.ask('sweep', { stamp: pod.stamp, isReview, known })
  await boot(input, pod, forge)
}

function hookOf({ home }: Folders, { space }: Walls, cwd: string): (script: string) => Promise<void> {
  const { logger } = rememberingLogger()
  const env = { PATH: path, HOME: home }
  return (script) =>
    lifecycleHookRunner({
      hooks: { postClone: script },
      space,
      env,
      cwd,
      clock: realClock,
      logger,
      onFailure: () => undefined,
    })('postClone')
}

function agentEnvironment({ home }: Folders): Readonly<Record<string, string>> {
  const person = { NAME: 'agent', EMAIL: 'agent@example.invalid' }
  const identities = Object.entries(person).flatMap(([key, value]) =>
    [`GIT_AUTHOR_${key}`, `GIT_COMMITTER_${key}`].map((name) => [name, value]),
  )
  return {
    PATH: `${path}:${dirname(process.execPath)}`,
    HOME: home,
    LC_ALL: 'C',
    ...(Object.fromEntries(identities) as Record<string, string>),
  }
}

async function boot({ folders, setting, name }: PlotInput, pod: Pod, forge: string): Promise<Bare> {
  const isReview = setting.profile === 'review'
  const { bare } = await checkOut(
    { name, url: forge, base: 'main', branch: '', sha: isReview ? runGit(forge, 'rev-parse', branch) : '' },
    {
      ...pod,
      bareDir: join(folders.state, 'git'),
      workspaceDir: folders.workspace,
      taskBranch: branch,
      mostBytes: mostCheckoutBytes,
      isReview: isReview && !setting.down.has('tracked-only'),
      beforeClone: async () => undefined,
      afterClone: async () => undefined,
    },
  )
  return bare
}

/** By a commit made beside any work tree. */
async function pushOther(git: Git, forge: string, file: string, text: string): Promise<void> {
  const run = { cwd: forge }
  const has = (await gitText(git, ['for-each-ref', `refs/heads/${branch}`], run)) !== ''
  const parent = has ? branch : 'main'
  const blob = await gitText(git, ['hash-object', '-w', '--stdin'], { ...run, input: text })
  const listed = (await gitText(git, ['ls-tree', parent], run)).split('\n')
  const kept = listed.filter((line) => line !== '' && !line.endsWith(`\t${file}`))
  const input = [...kept, `100644 blob ${blob}\t${file}`, ''].join('\n')
  const tree = await gitText(git, ['mktree'], { ...run, input })
  const commit = await gitText(git, ['commit-tree', tree, '-p', parent, '-m', 'Another pod'], run)
  await gitText(git, ['update-ref', `refs/heads/${branch}`, commit], run)
}

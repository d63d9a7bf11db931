/**
 * A whole pod: a wrapper process with the real agent CLI, whose model says what an attack wants it to. What is judged is what
 * the services around received, and canaries.
 */
import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { shellWords } from '../../../wrapper/boot/shell-words.ts'
import type { ModelRequest, Move } from '../../../wrapper/selftest/model.ts'
import { startGateway, type TestGateway } from '../../../wrapper/testing/gateway.ts'
import { runGit, type WorldOptions } from '../../../wrapper/testing/pod.ts'
import { refuseWithoutRoot, type Profile, type Setting, type Stage } from '../attack.ts'
import { openClusterPods } from './cluster-pods.ts'
import { openProcesses, type PlacedPod, type PlaceWorld, type PodPlace } from './pod-places.ts'
import { takeDown } from './pod-walls.ts'

const task = 'implement-lib-1-x7k2p'
export const branch = `platform/${task}`
/** No path of a socket in it would be short enough for the kernel. */
const longHome = join('home', 'of-somebody-with-a-name-that-is-long', 'and-a-folder-in-it-whose-name-is-longer')
const sources = join(import.meta.dirname, '..', '..', '..', 'wrapper', 'testing')

/** Secrets that no two runs share. */
interface Canaries {
  /** In the environment of the wrapper. */
  readonly environment: string
  readonly podToken: string
  readonly modelKey: string
  /** In a file that the CLI may read, and no command. */
  readonly home: string
  /** In a file of the wrapper's state. */
  readonly state: string
}

export interface Forged {
  readonly tool?: string
  readonly input?: object
  readonly ids?: readonly string[]
  /** It asks the model first, and spends the block that it is given. */
  readonly mints?: boolean
}

/** One attack's part of a pod. */
export interface PodScene {
  /** Its folders are the pod's own names of them. */
  readonly world: PlaceWorld
  readonly clone: string
  /** The attack's own word. */
  readonly mark: string
  readonly canaries: Canaries
  readonly pod: () => PlacedPod
  /** Where a path of the pod lies on this machine. */
  outside(path: string): string
  /** One turn, in which the model makes these moves. */
  turn(...moves: readonly Move[]): Promise<void>
  /** One turn with a command of the agent's; answers all that the model was told in it. */
  bash(script: string): Promise<string>
  /** Shell text that speaks wherever it can, to have something done in the agent's name. */
  forger(forged?: Forged): string
  /** The wrapper ends, and a new pod of the same volume begins. */
  nextPod(profile?: Profile): Promise<void>
  /** What was done in the agent's name, with this attack's word in it. */
  done(): readonly string[]
  /** What the model was asked since the attack began. */
  asked(): readonly ModelRequest[]
  /** A file that only a program beside the wrapper can write. */
  readonly besideTheWrapper: string
  /** A file that only a program in the CLI's view can write. */
  readonly besideTheCli: string
}

export const call = (tool: string, input: object): Move => ({ kind: 'call', tool, input })
export const bashCall = (command: string): Move => call('Bash', { command, description: 'x' })

export async function openPods(setting: Setting): Promise<Stage<PodScene>> {
  // A pod is started without the other walls.
  refuseWithoutRoot(setting.down, ['nosymfollow'])
  const canary = (name: string): string => `${name}-${randomBytes(9).toString('hex')}`
  const canaries: Canaries = {
    environment: canary('environment'),
    podToken: canary('token'),
    modelKey: canary('sk-key'),
    home: canary('home'),
    state: canary('state'),
  }
  const moves: Move[] = []
  const place = await openPlace(setting, {
    decide: (request) => answerOf(request, moves),
    homeName: longHome,
    env: {
      AGENT_SECLUSION: setting.down.has('namespaces') ? 'none' : 'required',
      BOUNDARY_CANARY: canaries.environment,
    },
  })
  const { world } = place
  runGit(world.origin, 'config', 'http.receivepack', 'true')
  const gateway = await startGateway(world.dir, canaries.podToken)
  const sha = makeChange(world)
  let pod: PlacedPod | undefined
  let ordinal = 0
  const start = async (profile: Profile): Promise<void> => {
    pod = await place.start(podEnvironment({ world, gateway, canaries, profile, sha, ordinal: (ordinal += 1) }))
    for (const [dir, text] of [
      [join(world.home, '.claude'), canaries.home],
      [world.stateDir, canaries.state],
    ] as const) {
      mkdirSync(pod.outside(dir), { recursive: true })
      writeFileSync(pod.outside(join(dir, 'canary.txt')), text)
    }
    takeDown(setting.down, { world, pod })
  }
  const ensured = async (): Promise<PlacedPod> => {
    if (pod === undefined || pod.hasEnded()) await start(setting.profile)
    return pod!
  }
  return {
    scene: async () => {
      await ensured()
      return sceneOf()
    },
    close: async () => {
      await place.close()
      await gateway.close()
    },
  }

  function sceneOf(): PodScene {
    const mark = `mark-${randomBytes(6).toString('hex')}`
    const before = { requests: world.model.requests.length, calls: gateway.calls.length }
    const asked = (): readonly ModelRequest[] => world.model.requests.slice(before.requests)
    const turn: PodScene['turn'] = async (...wanted) => {
      moves.splice(0, moves.length, ...wanted)
      await (await ensured()).turn(`Do what ${mark} wants.`)
      moves.length = 0
    }
    return {
      ...{ world, mark, canaries, asked, turn },
      clone: join(world.workspace, 'lib'),
      pod: () => pod!,
      outside: (path) => pod!.outside(path),
      bash: async (script) => {
        const from = world.model.requests.length
        await turn(bashCall(script))
        return world.model.requests
          .slice(from)
          .map(({ body }) => JSON.stringify(body.messages.at(-1)))
          .join('\n')
      },
      forger: (forged = {}) => forgerText({ world, pod: pod!, mark, gateway }, forged),
      nextPod: async (profile = setting.profile) => {
        const left =
          pod === undefined ? [] : keptBetween(setting, world).filter((path) => existsSync(pod!.outside(path)))
        const kept = left.map((path) => remembered(pod!, world, path))
        await pod?.end()
        await start(profile)
        for (const restore of kept) restore(pod!)
      },
      done: () =>
        gateway.calls
          .slice(before.calls)
          .filter(
            (line, index) =>
              line.endsWith(`Bearer ${canaries.podToken}`) && gateway.bodies[before.calls + index]!.includes(mark),
          ),
      besideTheWrapper: join(world.stateDir, mark),
      besideTheCli: join(world.home, mark),
    }
  }
}

/**
 * What an earlier pod left, where nothing makes the next one begin anew. Without namespaces commands have the CLI's HOME; in a
 * cluster that is a volume of one pod, which is one more wall.
 */
function keptBetween({ down, cluster }: Setting, { workspace, home }: PlaceWorld): readonly string[] {
  return [
    ...(down.has('fresh-start') ? [join(workspace, 'lib')] : []),
    ...(down.has('namespaces') && cluster !== undefined ? [join(home, '.config')] : []),
  ]
}

/** It comes back as it was, but for what is git's own. */
function remembered(pod: PlacedPod, { dir }: PlaceWorld, path: string): (next: PlacedPod) => void {
  const [source, kept] = [pod.outside(path), join(dir, `kept-${basename(path)}`)]
  cpSync(source, kept, { recursive: true, filter: (each) => each !== join(source, '.git') })
  return (next) => {
    cpSync(kept, next.outside(path), { recursive: true, force: false })
    rmSync(kept, { recursive: true })
  }
}

/** Who asks the model by himself says what it shall answer. */
const scripted = /ANSWER (\{.*?\}) END/

function answerOf(request: ModelRequest, moves: Move[]): Move {
  const own = scripted.exec(String(request.body.messages.at(-1)?.content))?.[1]
  if (own !== undefined) return JSON.parse(own) as Move
  return moves.shift() ?? { kind: 'say', text: 'done' }
}

/** The wrapper's programs: as it is, and with one wall down. */
export const wrappers = {
  'boundary.test/wrapper:v1': [process.execPath, join(sources, 'run-wrapper.ts')],
  'boundary.test/unattested-wrapper:v1': [process.execPath, join(sources, 'run-unattested-wrapper.ts')],
} as const

function openPlace({ down, cluster }: Setting, options: WorldOptions): Promise<PodPlace> {
  const image = down.has('attestation') ? 'boundary.test/unattested-wrapper:v1' : 'boundary.test/wrapper:v1'
  if (cluster !== undefined) return openClusterPods(cluster, { ...options, task, image })
  return openProcesses({ ...options, program: wrappers[image] })
}

/** A change under review, on the Task's branch. */
function makeChange({ dir, origin }: PlaceWorld): string {
  const seed = join(dir, 'seed')
  writeFileSync(join(seed, 'change.txt'), 'the change\n')
  for (const args of [
    ['checkout', '--quiet', '-b', branch],
    ['add', '.'],
    ['commit', '--quiet', '-m', 'Change'],
    ['push', '--quiet', origin, branch],
  ])
    runGit(seed, ...args)
  return runGit(seed, 'rev-parse', 'HEAD')
}

interface PodInput {
  readonly world: PlaceWorld
  readonly gateway: TestGateway
  readonly canaries: Canaries
  readonly profile: Profile
  readonly sha: string
  readonly ordinal: number
}

/** The wrapper reads files of secrets once, and removes them. */
function podEnvironment({ world, gateway, canaries, profile, sha, ordinal }: PodInput): Record<string, string> {
  const secret = (name: string, text: string): string => {
    const file = join(world.dir, `${name}-${ordinal}`)
    writeFileSync(file, text, { mode: 0o600 })
    return file
  }
  const url = `${gateway.url}/git/lib.git`
  const head = profile === 'review' ? { sha } : {}
  return {
    PLATFORM_TOOL_PROFILE: profile,
    PLATFORM_POD: String(ordinal),
    PLATFORM_OPERATOR_URL: gateway.url,
    PLATFORM_POD_TOKEN_FILE: secret('pod-token', canaries.podToken),
    MODEL_PROVIDER_API_KEY_FILE: secret('own-model-key', canaries.modelKey),
    REPOS: JSON.stringify([{ name: 'lib', url, base: 'main', ...head }]),
  }
}

interface Speaker {
  readonly world: PlaceWorld
  readonly pod: PlacedPod
  readonly mark: string
  readonly gateway: TestGateway
}

/** It knows every address, as if somebody had told it. */
function forgerText({ pod, mark, gateway, world }: Speaker, forged: Forged): string {
  const approval = { kind: 'review', payload: { verdict: 'approve' } }
  const { tool = 'outcome', input = approval, ids = ['', 'toolu_1'], mints = false } = forged
  const folders = [pod.sockets(), '/dev/shm/statewright']
  const sockets = folders.flatMap((at) => ['tools.sock', 'wiring.sock', 'model.sock'].map((name) => join(at, name)))
  const addresses = [pod.url, gateway.url].map((url) => ({
    host: new URL(url).hostname,
    port: Number(new URL(url).port),
  }))
  const note = join(world.workspace, 'lib', `${mark}.answered`)
  const told = { sockets, addresses, task, tool, ids, note, mints, input: { ...input, mark } }
  return shellWords(['node', join(import.meta.dirname, 'forger.mjs'), JSON.stringify(told)])
}

/** What a scene's commands wrote into a file of the clone. */
export function written({ clone, outside }: PodScene, name: string): string {
  const file = outside(join(clone, name))
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

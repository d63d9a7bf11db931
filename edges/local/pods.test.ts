import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { captureLog } from '../../http/testing/fixture.ts'
import type { PodInputs, PodObservation, PodSpec } from '../ports/pods.ts'
import { detectIsolation, type Isolation } from './isolation.ts'
import { PodFolder } from './pod-folder.ts'
import { LocalPods, type LocalPodsOptions } from './pods.ts'
import { familyOf, isAlive, signal, type ProcessIdentity } from './processes.ts'
import { machineFolders, withFolder } from './testing/fixture.ts'
import { podPortContract } from '../ports/contract/pods-contract.ts'
import { testInside } from '../../testing/inside.ts'

const spec: PodSpec = {
  pod: 'default/task/1',
  task: 'default/task',
  ordinal: 1,
  project: 'default/demo',
  agentKind: 'implement',
  model: '',
  effort: 'high',
  permissionMode: 'bypassPermissions',
  turnTimeoutSeconds: 60,
  agentPodTTLSeconds: 600,
  repositories: [],
}
const given =
  (env: Readonly<Record<string, string>>, files: PodInputs['files'] = {}) =>
  async (): Promise<PodInputs> => ({
    env: { PORT: '4711', ...env },
    secrets: { PLATFORM_POD_TOKEN_FILE: 'hidden-text' },
    files,
  })
const bound = { timeout: 10_000, interval: 20 }

/** A wrapper in the small: it notes its start, serves unless it is slow, has a child, and stops on SIGTERM unless it is stubborn. */
const wrapper = `while [ "$SLOW" = yes ]; do sleep 300; done
echo "$$" >> "$WORKSPACE_DIR/starts"
trap 'echo asked >> "$WORKSPACE_DIR/stops"; [ "$STUBBORN" = yes ] || exit 0' TERM
sleep 300 &
printf '{"url":"http://127.0.0.1:%s"}' "$PORT" > "$STATE_DIR/endpoint.json"
while :; do wait; done`

interface Machine {
  readonly root: string
  /** A platform program of this machine: another one is the next start after a crash. */
  start(options?: Partial<LocalPodsOptions>): LocalPods
  folder(pod?: string): PodFolder
  workspaceFile(name: string): string
}

async function withMachine(use: (machine: Machine) => Promise<void>): Promise<void> {
  await withFolder(async (root) => {
    const [state, program, home] = ['state', 'program', 'home'].map((name) => join(root, name)) as [
      string,
      string,
      string,
    ]
    for (const folder of [state, program, home]) mkdirSync(folder)
    const started: LocalPods[] = []
    const start = (options: Partial<LocalPodsOptions> = {}): LocalPods => {
      const pods = new LocalPods({
        stateDir: state,
        programDir: program,
        coveredDir: state,
        userHome: home,
        isolation: 'none',
        command: ['/bin/sh', '-c', wrapper],
        inputs: given({}),
        clock: systemClock,
        random: () => 0.5,
        logger: captureLog().logger,
        ...options,
      })
      started.push(pods)
      return pods
    }
    try {
      await use({
        root,
        start,
        folder: (pod = spec.pod) => new PodFolder(join(state, 'pods'), pod),
        workspaceFile: (name) => {
          const file = join(state, 'workspaces', 'default_task', name)
          return existsSync(file) ? readFileSync(file, 'utf8') : ''
        },
      })
    } finally {
      const left = started.flatMap((pods) => pods.list().flatMap(({ process }) => (process ? familyOf(process) : [])))
      for (const member of left) signal(member, 'SIGKILL')
      await vi.waitFor(() => expect(left.filter(isAlive)).toEqual([]), bound)
    }
  })
}

/** Everything that a watch told, newest last; the listener may refuse. */
function watched(
  pods: LocalPods,
  take: (observation: PodObservation) => Promise<void> = async () => {},
): { readonly told: PodObservation[]; readonly stop: () => void } {
  const told: PodObservation[] = []
  const stop = pods.watch(async (observation) => {
    told.push(observation)
    await take(observation)
  })
  return { told, stop }
}

function processOf(machine: Machine, pod = spec.pod): ProcessIdentity {
  const found = machine.folder(pod).read()?.process
  if (found === undefined) throw new Error('no process is recorded')
  return found
}

async function served(machine: Machine): Promise<void> {
  await vi.waitFor(() => expect(machine.folder().url()).toBe('http://127.0.0.1:4711'), bound)
}

const it = testInside(withMachine)

describe('the log of a pod', () => {
  const wish = { lines: 10, bytes: 1_000 }

  it('is read while it lives and after its end, until its folder goes (OPERATIONS-9)', async (machine) => {
    const pods = machine.start({ command: ['/bin/sh', '-c', `printf 'ready\\nha'; ${wrapper}`] })
    expect(await pods.logOf(spec.pod, wish)).toEqual({ state: 'gone' })
    await pods.create(spec)
    await served(machine)
    const live = { state: 'read', isLive: true, lines: ['ready'], isTruncated: false, cursor: '6' }
    expect(await pods.logOf(spec.pod, wish)).toEqual(live)
    await pods.remove(spec.pod, { force: true })
    await vi.waitFor(async () => expect(await pods.look(spec.pod)).toMatchObject({ state: 'gone' }), bound)
    const ended = { ...live, isLive: false, lines: ['ready', 'ha'], cursor: '8' }
    expect(await machine.start().logOf(spec.pod, wish)).toEqual(ended)
    expect(await pods.logOf(spec.pod, { ...wish, after: '6' })).toEqual({ ...ended, lines: ['ha'] })
    rmSync(machine.folder().path, { recursive: true })
    expect(await pods.logOf(spec.pod, wish)).toEqual({ state: 'gone' })
  })
})

describe('creating a pod', () => {
  it('starts one process, however often and at however many places at once it is asked for (DEPLOYMENT-5)', async (machine) => {
    const pods = machine.start()
    const names = await Promise.all([pods.create(spec), pods.create(spec), pods.create(spec)])
    names.push(await pods.create(spec), await machine.start().create(spec))
    expect(new Set(names.map(({ name }) => name))).toEqual(new Set(['default_task_1']))
    await served(machine)
    expect(machine.workspaceFile('starts').trim()).toBe(String(processOf(machine).pid))
  })

  it('does not start a pod again that has ended', async (machine) => {
    const pods = machine.start()
    await pods.create(spec)
    await served(machine)
    await pods.remove(spec.pod, { force: true })
    await vi.waitFor(() => expect(isAlive(processOf(machine))).toBe(false), bound)
    await pods.create(spec)
    expect(machine.workspaceFile('starts').trim().split('\n')).toHaveLength(1)
  })

  it('after a crash between spawn and record adopts the process that came to be (DEPLOYMENT-7)', async (machine) => {
    await machine.start().create(spec)
    await served(machine)
    const { process: started, ...unrecorded } = machine.folder().read()!
    machine.folder().write({ ...unrecorded, phase: 'spawning' })
    await machine.start().create(spec)
    expect(machine.folder().read()).toMatchObject({ phase: 'running', process: started })
    expect(machine.workspaceFile('starts').trim().split('\n')).toHaveLength(1)
  })

  it('after a crash before the process came to be starts it', async (machine) => {
    const pods = machine.start()
    machine.folder().create()
    machine.folder().write({ pod: spec.pod, task: spec.task, phase: 'spawning', isolated: false, createdAt: 1 })
    await pods.create(spec)
    await served(machine)
    expect(isAlive(processOf(machine))).toBe(true)
  })

  it('rejects when the program cannot be started, and tries again when it is asked again', async (machine) => {
    await expect(machine.start({ command: ['/no/such/program'] }).create(spec)).rejects.toThrow('ENOENT')
    await machine.start().create(spec)
    await served(machine)
  })

  it('gives the pod its own home, state and workspace, and nothing of our environment', async (machine) => {
    const command = [
      '/bin/sh',
      '-c',
      'env > "$WORKSPACE_DIR/env.new" && mv "$WORKSPACE_DIR/env.new" "$WORKSPACE_DIR/env"',
    ]
    vi.stubEnv('FORGE_TOKEN', 'secret')
    const inputs = given(
      { HOME: '/elsewhere', STATE_DIR: '/elsewhere', CONFIG_DIR: '/elsewhere' },
      { 'mcp.d/wiki.json': '{}' },
    )
    await machine.start({ command, inputs }).create(spec)
    vi.unstubAllEnvs()
    await vi.waitFor(() => expect(machine.workspaceFile('env')).not.toBe(''), bound)
    const env = machine.workspaceFile('env')
    const folder = machine.folder()
    expect(env).toContain(`HOME=${folder.home}\n`)
    expect(env).toContain(`STATE_DIR=${folder.state}\n`)
    expect(env).toContain(`CONFIG_DIR=${folder.config}\n`)
    expect(env).not.toContain('/elsewhere')
    expect(readFileSync(join(folder.config, 'mcp.d', 'wiki.json'), 'utf8')).toBe('{}')
    expect(env).toContain(`PLATFORM_POD_TOKEN_FILE=${join(folder.path, 'pod-token')}\n`)
    expect(env).not.toContain('hidden-text')
    expect(env).not.toContain('secret')
    for (const path of [folder.path, folder.home, folder.state]) expect(statSync(path).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder.path, 'record.json')).mode & 0o777).toBe(0o600)
  })
})

describe('watching pods', () => {
  it('tells that a pod is ready, once, with the address it serves at', async (machine) => {
    const pods = machine.start()
    const { told, stop } = watched(pods)
    await pods.create(spec)
    await vi.waitFor(() => expect(told).toHaveLength(1), bound)
    await pods.remove(spec.pod, { force: true })
    await vi.waitFor(() => expect(told).toHaveLength(2), bound)
    stop()
    expect(told.map(({ state }) => state)).toEqual(['ready', 'gone'])
    expect(told[0]).toEqual({ pod: spec.pod, state: 'ready', url: 'http://127.0.0.1:4711' })
  })

  it('tells the end with the last words of the log, and keeps them', async (machine) => {
    const pods = machine.start({
      command: ['/bin/sh', '-c', 'echo first >&2; echo the model key is refused >&2; exit 3'],
    })
    const { told, stop } = watched(pods)
    await pods.create(spec)
    await vi.waitFor(() => expect(told).toHaveLength(1), bound)
    stop()
    const end = { reason: 'process-ended', detail: 'first | the model key is refused' }
    expect(told).toEqual([{ pod: spec.pod, state: 'gone', ...end }])
    expect(machine.folder().read()).toMatchObject({ phase: 'gone', ...end })
  })

  test('ends the agent that a killed wrapper left behind before it tells that the pod is gone', async () => {
    await withMachine(async (machine) => {
      const recording = wrapper.replace(
        'sleep 300 &\n',
        `sleep 300 &
read -r -a stat < "/proc/$!/stat"
printf '{"pid":%s,"startTime":"%s"}' "$!" "\${stat[21]}" > "$STATE_DIR/agent.json"\n`,
      )
      const pods = machine.start({ command: ['/bin/bash', '-c', recording] })
      await pods.create(spec)
      const folder = machine.folder()
      await vi.waitFor(() => expect(folder.url()).toBeDefined(), bound)
      const agent = folder.agent() as ProcessIdentity
      expect(isAlive(agent)).toBe(true)
      const atTheEnd: boolean[] = []
      const stop = pods.watch(async ({ state }) => {
        if (state === 'gone') atTheEnd.push(isAlive(agent))
      })
      signal(folder.read()?.process as ProcessIdentity, 'SIGKILL')
      await vi.waitFor(() => expect(atTheEnd).toEqual([false]), bound)
      stop()
    })
  })

  it('tells again what the listener did not take, and no more once it did', async (machine) => {
    const pods = machine.start()
    let refusals = 2
    const { told, stop } = watched(pods, async ({ state }) => {
      if (state === 'gone' && refusals-- > 0) throw new Error('the store does not answer')
    })
    await pods.create(spec)
    await served(machine)
    await pods.remove(spec.pod, { force: true })
    await vi.waitFor(() => expect(machine.folder().read()?.phase).toBe('gone'), bound)
    // Another pod's end comes through the same looks: had the first been told again, it would be here by now.
    await pods.create({ ...spec, pod: 'default/task/2', ordinal: 2 })
    await vi.waitFor(() => expect(told.map(({ pod }) => pod)).toContain('default/task/2'), bound)
    stop()
    expect(told.filter(({ pod, state }) => pod === spec.pod && state === 'gone')).toHaveLength(3)
  })

  it('goes on after a look at the folder of all pods failed, as it does where descriptors run out (HTTP-RULE-8)', async (machine) => {
    const pods = machine.start()
    await pods.create(spec)
    await served(machine)
    const clock = simulatedClock(1_000_000)
    const log = captureLog()
    const { told, stop } = watched(machine.start({ clock, logger: log.logger }))
    const [folder, aside] = [dirname(machine.folder().path), join(machine.root, 'aside')]
    renameSync(folder, aside)
    // A file is no folder.
    writeFileSync(folder, '')
    clock.advance(2000)
    rmSync(folder)
    renameSync(aside, folder)
    const failed = { failures: 1, error: expect.stringContaining('ENOTDIR') }
    await vi.waitFor(() => expect(log.lines()[0]).toMatchObject(failed), bound)
    clock.advance(60_000)
    await vi.waitFor(() => expect(told).toMatchObject([{ pod: spec.pod }]), bound)
    expect(log.lines().at(-1)).toMatchObject({ msg: 'the watcher looks at the pods again' })
    stop()
  })

  it('removes the folder of a pod that ended long ago, not of one that runs or has just ended', async (machine) => {
    const clock = simulatedClock(1_000_000)
    const pods = machine.start({ clock, keepEndedMs: 60_000 })
    const { told, stop } = watched(pods)
    const until = (done: () => boolean): Promise<void> =>
      vi.waitFor(() => {
        clock.advance(1000)
        expect(done()).toBe(true)
      }, bound)
    for (const ordinal of [1, 2]) await pods.create({ ...spec, pod: `default/task/${ordinal}`, ordinal })
    await served(machine)
    await pods.remove(spec.pod, { force: true })
    await until(() => told.some(({ pod, state }) => pod === spec.pod && state === 'gone'))
    expect(existsSync(machine.folder().log)).toBe(true)
    await until(() => !existsSync(machine.folder().path))
    expect(machine.folder('default/task/2').read()).toMatchObject({ phase: 'running' })
    stop()
  })

  it('after a new start tells of the pods that run and of those that ended meanwhile (DEPLOYMENT-7)', async (machine) => {
    const before = machine.start()
    await before.create(spec)
    await before.create({ ...spec, pod: 'default/task/2', ordinal: 2 })
    await vi.waitFor(() => expect(machine.folder('default/task/2').url()).toBeDefined(), bound)
    await served(machine)
    await before.remove('default/task/2', { force: true })
    await vi.waitFor(() => expect(isAlive(processOf(machine, 'default/task/2'))).toBe(false), bound)
    const { told, stop } = watched(machine.start())
    await vi.waitFor(() => expect(told).toHaveLength(2), bound)
    stop()
    expect(told.map(({ pod, state }) => `${pod} ${state}`).toSorted()).toEqual([
      'default/task/1 ready',
      'default/task/2 gone',
    ])
    const again = watched(machine.start())
    await vi.waitFor(() => expect(again.told).toHaveLength(2), bound)
    again.stop()
  })
})

const isolations: Isolation[] = ['none']
const reason = ' (in namespaces: skipped, this machine refuses them)'
await withFolder(async (root) => {
  if (detectIsolation(machineFolders(root)) === 'namespaces') isolations.push('namespaces')
})

describe.each(isolations)(`a pod with isolation %s${isolations.length === 1 ? reason : ''}`, (isolation) => {
  it('is asked to stop, and only its wrapper is: that one ends its agent itself', async (machine) => {
    const pods = machine.start({ isolation })
    await pods.create(spec)
    await served(machine)
    await pods.remove(spec.pod, { force: false })
    await vi.waitFor(() => expect(isAlive(processOf(machine))).toBe(false), bound)
    expect(machine.workspaceFile('stops')).toBe('asked\n')
  })

  it('that is asked to stop before it serves ends at once, although nothing inside could take the signal yet (POD-20)', async (machine) => {
    const pods = machine.start({ isolation, inputs: given({ SLOW: 'yes' }) })
    await pods.create(spec)
    const family = familyOf(processOf(machine))
    await pods.remove(spec.pod, { force: false })
    await vi.waitFor(() => expect(family.filter(isAlive)).toEqual([]), bound)
    expect(machine.folder().url()).toBeUndefined()
  })

  it('that does not stop is ended by force, with everything that it started', async (machine) => {
    const pods = machine.start({ isolation, inputs: given({ STUBBORN: 'yes' }) })
    await pods.create(spec)
    await served(machine)
    const family = familyOf(processOf(machine))
    await pods.remove(spec.pod, { force: false })
    await vi.waitFor(() => expect(machine.workspaceFile('stops')).toBe('asked\n'), bound)
    expect(isAlive(processOf(machine))).toBe(true)
    await pods.remove(spec.pod, { force: true })
    await vi.waitFor(() => expect(family.filter(isAlive)).toEqual([]), bound)
  })

  it('whose spawn was not recorded is found and ended by its removal', async (machine) => {
    await machine.start({ isolation }).create(spec)
    await served(machine)
    const { process: started, ...unrecorded } = machine.folder().read()!
    machine.folder().write({ ...unrecorded, phase: 'spawning' })
    const pods = machine.start({ isolation })
    const { told, stop } = watched(pods)
    await pods.remove(spec.pod, { force: true })
    await vi.waitFor(() => expect(told.map(({ state }) => state)).toContain('gone'), bound)
    stop()
    expect(started && isAlive(started)).toBe(false)
  })
})

test.skipIf(isolations.length === 1)(
  'a pod in namespaces does not see what lies around the state of the platform',
  async () => {
    await withMachine(async (machine) => {
      writeFileSync(join(machine.root, 'secrets.json'), 'a forge token')
      const command = [
        '/bin/sh',
        '-c',
        `ls ${machine.root} ${machine.root}/state > "$WORKSPACE_DIR/seen.new"; mv "$WORKSPACE_DIR/seen.new" "$WORKSPACE_DIR/seen"`,
      ]
      await machine.start({ isolation: 'namespaces', coveredDir: machine.root, command }).create(spec)
      await vi.waitFor(() => expect(machine.workspaceFile('seen')).not.toBe(''), bound)
      expect(machine.workspaceFile('seen')).toBe(
        `${machine.root}:\nprogram\nstate\n\n${machine.root}/state:\npods\nworkspaces\n`,
      )
    })
  },
)

it('removing what is gone or was never there is fine, and says that nothing of it runs', async (machine) => {
  expect(await machine.start().remove('default/nobody/1', { force: true })).toBe('gone')
  expect(await machine.start().remove('default/nobody/1', { force: false })).toBe('gone')
})

it('a workspace is made once, outlives its pods, and is deleted when it is asked for (PROJECT-WORKSPACE-9, PROJECT-WORKSPACE-13)', async (machine) => {
  const pods = machine.start()
  await pods.bindVolumes(spec)
  await pods.create(spec)
  await served(machine)
  await pods.bindVolumes(spec)
  await pods.remove(spec.pod, { force: true })
  expect(machine.workspaceFile('starts')).not.toBe('')
  await vi.waitFor(() => expect(isAlive(processOf(machine))).toBe(false), bound)
  await pods.deleteWorkspace(spec.task)
  await pods.deleteWorkspace(spec.task)
  expect(existsSync(join(machine.root, 'state', 'workspaces', 'default_task'))).toBe(false)
  expect(machine.folder().read()?.pod).toBe(spec.pod)
})

podPortContract('one machine', (use) =>
  withMachine((machine) =>
    use({
      pods: machine.start(),
      spec,
      begun: () => machine.workspaceFile('starts').split('\n').filter(Boolean).length,
    }),
  ),
)

/** The compose file by Compose's own loader, and its orchestrator by hand (`npm run test:chart`). */
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { readSettings } from '../../orchestrator/settings/settings.ts'
import { startIdentity } from '../../standins/identity/identity.ts'
import { ciScript } from '../../testing/ci-script.ts'
import { readInstructions, splitStages } from '../../testing/dockerfiles.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { refusesContainers, serving } from '../testing/container.ts'
import { imageTrees } from '../testing/trees.ts'

const folder = dirname(fileURLToPath(import.meta.url))
const root = dirname(dirname(folder))
const call = promisify(execFile)
const file = join(folder, 'compose.yaml')
const needed = {
  REGISTRY: 'registry.example/acme',
  TAG: 'v9.9.9',
  OIDC_ISSUER: 'https://identity.example',
  PUBLIC_URL: 'https://statewright.example',
}

const limitMs = 200_000

interface Service {
  readonly image: string
  readonly environment: Readonly<Record<string, string>>
  readonly read_only?: boolean
  readonly privileged?: boolean
  readonly cap_add?: readonly string[]
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly healthcheck?: object
  readonly pid?: string
  readonly network_mode?: string
  readonly networks: Readonly<Record<string, unknown>>
  readonly ports?: readonly { readonly host_ip?: string }[]
  readonly secrets?: readonly { readonly source: string }[]
  readonly volumes?: readonly { readonly type: string }[]
}

interface Project {
  readonly services: Readonly<Record<'orchestrator' | 'postgres' | 'memory', Service>>
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

describeRequiring('chart', 'the compose file', () => {
  let program = ''
  beforeAll(async () => {
    program = join(await ciScript('compose.sh', ['build']), 'compose')
  }, 300_000)

  const load = async (env: Readonly<Record<string, string>> = needed, text?: string): Promise<Project> => {
    const own = mkdtempSync(join(tmpdir(), 'compose-'))
    onTestFinished(() => rmSync(own, { recursive: true }))
    const path = join(own, 'compose.yaml')
    writeFileSync(path, text ?? readFileSync(file, 'utf8'))
    return JSON.parse((await call(program, [path, 'memory'], { env })).stdout) as Project
  }

  test('is one that Compose loads, and a wrong word is refused', async () => {
    expect(Object.keys((await load()).services).toSorted()).toEqual(['memory', 'orchestrator', 'postgres'])
    const broken = readFileSync(file, 'utf8').replace('stop_grace_period:', 'stop_grace:')
    await expect(load(needed, broken)).rejects.toThrow('stop_grace')
  })

  test.each(Object.keys(needed))('does not start without %s, and explains it', async (name) => {
    const { [name]: _, ...others } = needed as Record<string, string>
    await expect(load(others)).rejects.toThrow(name)
  })

  test('gives no container more than it needs', async () => {
    const { services, networks, secrets } = await load()
    for (const [name, service] of Object.entries(services)) {
      expect([name, service]).toEqual([name, expect.objectContaining({ read_only: true, cap_drop: ['ALL'] })])
      expect([name, service.security_opt]).toEqual([name, expect.arrayContaining(['no-new-privileges:true'])])
      for (const key of ['privileged', 'cap_add', 'pid', 'network_mode'] as const)
        expect([name, key, service[key] ?? null]).toEqual([name, key, null])
      expect([name, service.volumes?.map(({ type }) => type)]).toEqual([name, ['volume']])
    }
    expect(services.orchestrator.ports?.map(({ host_ip }) => host_ip)).toEqual(['127.0.0.1'])
    expect(services.postgres.ports).toBeUndefined()
    expect(services.postgres.healthcheck).toBeDefined()
    expect([Object.keys(services.postgres.networks), networks['store']?.internal]).toEqual([['store'], true])
    const used = Object.values(services).flatMap(({ secrets: own = [] }) => own.map(({ source }) => source))
    expect([...new Set(used)].toSorted()).toEqual(Object.keys(secrets).toSorted())
    for (const { environment } of Object.values(services))
      for (const [name, value] of Object.entries(environment))
        if (/SECRET|PASSWORD|KEY|DATABASE_URL/.test(name))
          expect([name, value]).toEqual([expect.stringMatching(/_FILE$/), expect.stringMatching(/^\/run\/secrets\//)])
  })

  test('filters the system calls of agents by a profile, where one is given', async () => {
    const seccompOf = async (env: Readonly<Record<string, string>>): Promise<readonly string[]> =>
      ((await load({ ...needed, ...env })).services.orchestrator.security_opt ?? []).filter((one) =>
        one.startsWith('seccomp'),
      )
    expect(await seccompOf({})).toEqual(['seccomp=unconfined'])
    expect(await seccompOf({ SECCOMP_PROFILE: './seccomp.json' })).toEqual(['seccomp=./seccomp.json'])
  })

  test('has images of a release and of the list of base images', async () => {
    const { services } = await load()
    const bases = JSON.parse(readFileSync(join(root, 'deploy/images/base.json'), 'utf8')) as Record<string, string>
    const bake = JSON.parse(readFileSync(join(root, 'deploy/images/bake.json'), 'utf8')) as {
      readonly target: Readonly<Record<string, { readonly tags?: readonly string[] }>>
    }
    const released = Object.values(bake.target).flatMap(({ tags = [] }) =>
      tags.map((tag) => tag.replace('${REGISTRY}', needed.REGISTRY).replace('${TAG}', needed.TAG)),
    )
    expect(released).toContain(services.orchestrator.image)
    expect(released).toContain(services.memory.image)
    expect(Object.values(bases)).toContain(services.postgres.image)
  })

  test('gives the orchestrator settings that it takes', async () => {
    const { environment } = (await load()).services.orchestrator
    const secrets = secretFiles(environment, () => 'a secret')
    const env = Object.entries(environment).map(([name, value]) => [name, value.replace('/run/secrets', secrets)])
    const given = Object.fromEntries(env) as Record<string, string>
    expect(readSettings({ ...given, STATE_DIR: secrets }, 'claude')).toMatchObject({
      place: 'machine',
      isolation: 'required',
      databaseUrl: 'a secret',
      publicUrl: needed.PUBLIC_URL,
    })
  })

  test.skipIf(refusesContainers)(
    'starts an orchestrator of the image’s tree that isolates its agents, on PostgreSQL and a read-only root',
    { timeout: limitMs },
    async () => {
      const own = mkdtempSync('/var/tmp/compose-')
      onTestFinished(() => rmSync(own, { recursive: true, force: true }))
      chmodSync(own, 0o755)
      const tree = join(imageTrees(), 'single-server')
      const databaseUrl = await postgres(join(own, 'pg'))
      const clients = [{ clientId: 'statewright', secret: 'a secret', audiences: ['statewright-wrappers'] }]
      const identity = await startIdentity({ clients })
      onTestFinished(() => identity.close())
      const { environment } = (await load({ ...needed, OIDC_ISSUER: identity.issuer })).services.orchestrator
      const secrets = secretFiles(environment, (name) => (name === 'database-url' ? databaseUrl : 'a secret'))
      const { internalUrl, isolation } = await serving(
        {
          tree,
          env: { ...imageEnvironment('single-server'), ...environment, ...anyPort },
          mounts: [{ source: secrets, target: '/run/secrets', readOnly: true }],
          isProcWhole: true,
        },
        ['orchestrator'],
      )
      for (const address of [`${internalUrl}/healthz`, `${internalUrl}/readyz`])
        expect([address, (await fetch(address)).status]).toEqual([address, 200])
      expect(isolation).toBe('namespaces')
    },
  )
})

const anyPort = { HTTP_ADDR: '127.0.0.1:0', INTERNAL_ADDR: '127.0.0.1:0' }

/** The files that `_FILE` variables name below /run/secrets. @returns their folder. */
function secretFiles(environment: Readonly<Record<string, string>>, valueOf: (name: string) => string): string {
  const own = mkdtempSync(join(tmpdir(), 'secrets-'))
  onTestFinished(() => rmSync(own, { recursive: true }))
  chmodSync(own, 0o755)
  for (const [name, path] of Object.entries(environment))
    if (name.endsWith('_FILE')) writeFileSync(join(own, basename(path)), valueOf(basename(path)), { mode: 0o444 })
  return own
}

/** What a target of the orchestrator's Dockerfile sets, that of the stage below it first. */
function imageEnvironment(target: string): Readonly<Record<string, string>> {
  const stages = splitStages(readInstructions(readFileSync(join(root, 'deploy/Dockerfile.orchestrator'), 'utf8')))
  const steps = ['runtime', target].flatMap((title) => stages.find((stage) => stage.title === title)!.steps)
  const words = steps.flatMap(({ name, text }) => (name === 'ENV' ? [...text.matchAll(/(\w+)=('[^']*'|\S+)/g)] : []))
  return Object.fromEntries(words.map(([, name = '', value = '']) => [name, value.replaceAll("'", '')]))
}

/** @returns the address of a server of its own. */
async function postgres(dir: string): Promise<string> {
  onTestFinished(async () => void (await ciScript('postgres.sh', ['stop', dir])))
  return ciScript('postgres.sh', ['start', dir])
}

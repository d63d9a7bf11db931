/** The chart in tests: Helm as a process, what it renders, and the environment that its Deployment gives. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments, stringify } from 'yaml'

export const chart = join(dirname(dirname(fileURLToPath(import.meta.url))), 'chart')

export interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec?: unknown
  readonly rules?: readonly object[]
  readonly data?: Readonly<Record<string, string>>
}

/** For programs in Go that end soon: a third of their time was garbage collection. */
export const shortLived = { GOGC: 'off', GOMEMLIMIT: '512MiB' }

/** Without them nothing is rendered. */
export const needed = {
  database: { secretName: 'database' },
  oidc: {
    issuer: 'https://id.example',
    audience: 'operators',
    wrapperAudience: 'wrappers',
    clientId: 'statewright',
    secretName: 'oidc',
  },
  model: { secretName: 'model' },
}

/** Helm with its folders below one of its own; `values` come as a file. */
export async function helm(parameters: readonly string[], values?: object, kubeconfig?: string): Promise<Ran> {
  const home = await mkdtemp(join(tmpdir(), 'helm-'))
  try {
    const file = join(home, 'values.yaml')
    if (values !== undefined) await writeFile(file, stringify(values, { compat: 'yaml-1.1' }))
    const all = [...parameters, ...(values === undefined ? [] : ['--values', file])]
    return await run(join(process.env['HELM_UNDER_TEST'] ?? '', 'helm'), all, {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      ...shortLived,
      ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }),
    })
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** @throws Helm's complaint. */
export async function mustHelm(parameters: readonly string[], values?: object, kubeconfig?: string): Promise<string> {
  const { code, out, error } = await helm(parameters, values, kubeconfig)
  if (code !== 0) throw new Error(`helm ${parameters.join(' ')}: ${error}${out}`)
  return out
}

/** What the chart renders, but the definitions, which are large and have no value. */
export async function render(values: object, more: readonly string[] = []): Promise<readonly Manifest[]> {
  const parameters = ['template', 'sw', chart, '--namespace', 'platform', '--set', 'crds.install=false', ...more]
  const text = await mustHelm(parameters, values)
  return parseAllDocuments(text).flatMap((document) => (document.toJS() as Manifest | null) ?? [])
}

const renders = new Map<string, Promise<readonly Manifest[]>>()

/** The same, rendered once in a test file: most of the time of a test was Helm's. */
export function rendered(values: object): Promise<readonly Manifest[]> {
  const key = JSON.stringify(values)
  const found = renders.get(key) ?? render(values)
  renders.set(key, found)
  return found
}

export function named(manifests: readonly Manifest[], kind: string, name?: string): Manifest {
  const found = manifests.find((one) => one.kind === kind && (name === undefined || one.metadata.name === name))
  if (found === undefined) throw new Error(`the chart renders no ${kind} ${name ?? ''}`)
  return found
}

function run(file: string, parameters: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, parameters, { env, timeout: 300_000, stdio: ['ignore', 'pipe', 'pipe'] })
    const [out, error]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on('data', (part: Buffer) => out.push(part))
    child.stderr.on('data', (part: Buffer) => error.push(part))
    child.once('error', reject)
    child.once('close', (code) =>
      resolve({ code: code ?? -1, out: Buffer.concat(out).toString(), error: Buffer.concat(error).toString() }),
    )
  })
}

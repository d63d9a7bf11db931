/**
 * A real Kubernetes API server for tests: the one that `npm run test:kubernetes` shares among them, where each test has
 * namespaces of its own, or one of a test's own, which it may kill.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ciScript } from './ci-script.ts'

/** Where `npm run test:kubernetes` keeps the control plane that tests share. */
export const sharedFolder = 'KUBERNETES_UNDER_TEST'

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Answered {
  readonly code: number
  readonly body: Readonly<Record<string, unknown>>
}

/** A path that the server does not know yet is answered with a plain text. */
function bodyOf(text: string): Answered['body'] {
  try {
    return JSON.parse(text) as Answered['body']
  } catch {
    return { message: text }
  }
}

export class ControlPlane {
  readonly folder: string
  #agent: Agent | undefined

  constructor(folder: string) {
    this.folder = folder
  }

  /** Of an administrator. */
  get kubeconfig(): string {
    return join(this.folder, 'kubeconfig')
  }

  /** The real kubectl, as an administrator; `input`: what it reads with `-f -`. */
  async kubectl(parameters: readonly string[], input = ''): Promise<Ran> {
    const programs = await programsOf()
    return new Promise((resolve, reject) => {
      const child = spawn(join(programs, 'kubectl'), ['--kubeconfig', this.kubeconfig, ...parameters], {
        env: { PATH: process.env['PATH'], HOME: this.folder },
        timeout: 120_000,
      })
      const [out, error]: [Buffer[], Buffer[]] = [[], []]
      child.stdout.on('data', (part: Buffer) => out.push(part))
      child.stderr.on('data', (part: Buffer) => error.push(part))
      child.once('error', reject)
      child.once('close', (code) =>
        resolve({ code: code ?? -1, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(error).toString() }),
      )
      child.stdin.end(input)
    })
  }

  /** @throws what it said, where it did not end well. */
  async must(parameters: readonly string[], input = ''): Promise<string> {
    const { code, stdout, stderr } = await this.kubectl(parameters, input)
    if (code !== 0) throw new Error(`kubectl ${parameters.join(' ')}: ${stderr}${stdout}`)
    return stdout
  }

  /**
   * One request as an administrator, past every client of ours. `path` begins with `/api` and may have a query; `type` is the
   * body's. A kubectl costs a hundred times as much processor time: it is for tests of what kubectl itself does.
   */
  async ask(
    method: string,
    path: string,
    body?: object,
    type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
  ): Promise<Answered> {
    const pki = (name: string): Buffer => readFileSync(join(this.folder, 'pki', name))
    this.#agent ??= new Agent({
      keepAlive: true,
      maxSockets: 16,
      ca: pki('ca.crt'),
      cert: pki('admin.crt'),
      key: pki('admin.key'),
    })
    const [port = ''] = readFileSync(join(this.folder, 'ports'), 'utf8').split(' ')
    return new Promise((resolve, reject) => {
      const asked = request(
        {
          host: '127.0.0.1',
          port,
          path,
          method,
          agent: this.#agent,
          timeout: 60_000,
          headers: { 'content-type': type },
        },
        (response) => {
          const parts: Buffer[] = []
          response.on('data', (part: Buffer) => parts.push(part))
          response.once('error', reject)
          response.once('end', () =>
            resolve({ code: response.statusCode ?? 0, body: bodyOf(Buffer.concat(parts).toString()) }),
          )
        },
      )
      asked.once('timeout', () => asked.destroy(new Error(`${method} ${path}: no answer`)))
      asked.once('error', reject)
      asked.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  async ownNamespace(): Promise<string> {
    const name = `t-${randomUUID().slice(0, 13)}`
    const { code, body } = await this.ask('POST', '/api/v1/namespaces', { metadata: { name } })
    if (code !== 201) throw new Error(`the namespace ${name} was refused: ${JSON.stringify(body)}`)
    return name
  }

  /** As a crash does; etcd keeps what there is. */
  async killApi(): Promise<void> {
    await command(['kill-api', this.folder])
  }

  async startApi(): Promise<void> {
    await command(['start-api', this.folder])
  }

  async stop(): Promise<void> {
    await command(['stop', this.folder])
  }

  logOf(name: 'api' | 'etcd' | 'controllers'): Promise<string> {
    return readFile(join(this.folder, `${name}.log`), 'utf8')
  }
}

/** @throws outside `npm run test:kubernetes`. */
export function sharedControlPlane(): ControlPlane {
  const folder = process.env[sharedFolder]
  if (folder === undefined) throw new Error(`${sharedFolder} is not set: npm run test:kubernetes`)
  return new ControlPlane(folder)
}

export interface ControlPlaneOptions {
  /** Folder of definitions to apply; absolute. */
  readonly crds?: string
  /** Garbage collector, claims and namespaces: left out unless asked for. */
  readonly controllers?: boolean
}

/** One of a test's own: it stops it. */
export async function startControlPlane({
  crds,
  controllers = false,
}: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const folder = await mkdtemp(join(tmpdir(), 'kube-'))
  await command(['start', folder], {
    KUBE_CONTROLLERS: controllers ? '1' : '0',
    ...(crds === undefined ? {} : { KUBE_CRDS: crds }),
  })
  return new ControlPlane(folder)
}

let programs: Promise<string> | undefined
/** The folder of kubectl and its siblings. */
export function programsOf(): Promise<string> {
  programs ??= command(['find'])
  return programs
}

function command(parameters: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
  return ciScript('kube.sh', parameters, { environment, timeout: 300_000 })
}

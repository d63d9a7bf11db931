/** A fixture for the commands that talk to a running orchestrator: its resource API in the small, behind a real identity provider. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from 'typebox'
import { vi } from 'vitest'
import type { HttpApp } from '../../../http/app.ts'
import { bearer } from '../../../http/auth/authenticate.ts'
import { oidcVerifier } from '../../../http/auth/oidc.ts'
import { invalidInput, Problem } from '../../../http/problems/problem.ts'
import { testClock, withServer } from '../../../http/testing/fixture.ts'
import { writeEndpoints } from '../../local/endpoints.ts'
import { programDir } from '../../program.ts'
import { startIdentity } from '../../../standins/identity/identity.ts'

const audience = 'urn:statewright:operator'

export interface CommandFixture {
  /** Where the endpoints are: `--dir`. */
  readonly dir: string
  /** What was sent, in order. */
  readonly sent: { readonly kind: string; readonly metadata: { readonly name: string } }[]
  /** What `GET /resources/<plural>` lists. */
  readonly items: Record<string, readonly object[]>
  readonly asked: string[]
  /** Refused in place of being taken, by name. */
  readonly refused: Set<string>
  /** What the orchestrator warns of, by name. */
  readonly warned: Map<string, readonly object[]>
  /** Runs before the `count`th request from now for one resource of this kind. */
  after(kind: string, count: number, run: () => void): void
  file(text: string): string
}

/** `routes`: more of the API than resources. */
export async function withOrchestrator(
  use: (fixture: CommandFixture) => Promise<void>,
  routes: (app: HttpApp) => void = () => undefined,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'statewright-cli-'))
  const identity = await startIdentity({ clients: [{ clientId: 'cli', secret: 'cli-secret', audiences: [audience] }] })
  const due: { kind: string; count: number; run: () => void }[] = []
  const fixture: CommandFixture = {
    dir,
    sent: [],
    items: {},
    asked: [],
    refused: new Set(),
    warned: new Map(),
    after: (kind, count, run) => void due.push({ kind, count, run }),
    file: (text) => {
      const path = join(dir, 'manifest.yaml')
      writeFileSync(path, text)
      return path
    },
  }
  const document = Type.Object({ kind: Type.String(), metadata: Type.Object({ name: Type.String() }) })
  const byName = Type.Object({ kind: Type.String(), name: Type.String() })
  try {
    await withServer(
      (app) => {
        routes(app)
        app.put('/resources', { schema: { body: document } }, async ({ body }) => {
          const { name } = body.metadata
          if (fixture.refused.has(name)) throw invalidInput([{ path: '/spec', message: 'is refused' }])
          fixture.sent.push(body)
          return { kind: body.kind, name, change: 'created', warnings: fixture.warned.get(name) ?? [] }
        })
        app.get('/resources/:kind', { schema: { params: Type.Object({ kind: Type.String() }) } }, async (request) => {
          fixture.asked.push(request.url)
          const { searchParams } = new URL(request.url, 'http://server')
          const [from, limit] = [Number(searchParams.get('cursor')), Number(searchParams.get('limit'))]
          const items = fixture.items[request.params.kind] ?? []
          const next = from + limit
          return { items: items.slice(from, next), ...(next < items.length ? { nextCursor: String(next) } : {}) }
        })
        app.get('/resources/:kind/default/:name', { schema: { params: byName } }, async ({ params }) => {
          for (const one of due) if (one.kind === params.kind && --one.count === 0) one.run()
          const found = (fixture.items[params.kind] ?? []).find(
            (item) => (item as (typeof fixture.sent)[0]).metadata.name === params.name,
          )
          if (found === undefined) throw new Problem('not-found', `there is no ${params.kind} ${params.name}`)
          return found
        })
      },
      async ({ url }) => {
        const { issuer, tokenUrl } = identity
        const nowhere = { internal: '', inspector: '', forge: '', forgeApi: '', model: '' }
        writeEndpoints(dir, {
          ...nowhere,
          pid: 1,
          orchestrator: url,
          identity: issuer,
          tokenUrl,
          clientId: 'cli',
          clientSecret: 'cli-secret',
          audience,
        })
        await use(fixture)
      },
      {
        authenticate: bearer(oidcVerifier({ issuer: identity.issuer, audience, clock: testClock(Date.now()), fetch })),
      },
    )
  } finally {
    await identity.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

export interface Said {
  readonly out: string
  readonly err: string
}

/** What a command prints while it runs in this process. */
export async function said(run: () => Promise<unknown>): Promise<Said> {
  const out: string[] = []
  const err: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((text) => void out.push(String(text)))
  const error = vi.spyOn(console, 'error').mockImplementation((text) => void err.push(String(text)))
  try {
    await run()
  } finally {
    log.mockRestore()
    error.mockRestore()
  }
  return { out: out.join('\n'), err: err.join('\n') }
}

/** The program as a user calls it, with its exit code. */
export async function statewright(
  args: readonly string[],
  input = '',
): Promise<Said & { readonly code: number | null }> {
  const child = spawn(process.execPath, [join(programDir, 'bin', 'statewright.mjs'), ...args], { stdio: 'pipe' })
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (said.out += String(chunk)))
  child.stderr.on('data', (chunk) => (said.err += String(chunk)))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { ...said, code }
}

/**
 * Hostile words on a forge and in a repository go the way into a memory that the orchestrator takes: mirror, gate, sources,
 * intake, `statewright ingest` and `statewright code-graph push`. An agent then gets them back from `memory_query`.
 */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { gatedThreadReader } from '../../edges/forge/mirror/threads.ts'
import { withForgeEdge, type EdgeFixture } from '../../edges/forge/testing/fixture.ts'
import { createGitCache } from '../../edges/git/store/cache.ts'
import { createRunGit } from '../../edges/git/store/run-git.ts'
import { memoryIntake } from '../../orchestrator/memory/memory-intake.ts'
import { memorySources } from '../../orchestrator/memory/memory-sources.ts'
import { mostCheckoutBytes } from '../../runtime/checkout-size.ts'
import { systemClock } from '../../runtime/clock.ts'
import { PROJECT } from '../../standins/forge/testing/gitlab.ts'
import { canaries } from './canaries.ts'
import { ownCorpus, readCorpus, sampleOf, type CorpusText } from './corpus.ts'
import type { MemoryHole } from './memory-holes.ts'
import { brokenMemoryLaws, words, type SpokenIssue } from './memory-laws.ts'
import { hostileBranch, plantTree } from './memory-tree.ts'
import { listenAsMemory, type MemoryListener } from './memory-service.ts'

const permissions = { maintainer: 'admin', bot: 'admin', reader: 'read', stranger: 'write' } as const
/** Long enough for a request on its way. */
const stepMs = 100
const root = new URL('../../', import.meta.url)

type Dialect = 'github' | 'gitlab'

const places = {
  github: { provider: 'forge_a', owner: 'acme', path: 'acme/library', api: '/api/v3' },
  gitlab: { provider: 'forge_b', owner: 'acme/tools', path: PROJECT, api: '/api/v4' },
} as const

/** Faults, each beginning with the law's name. With `each` so many texts a family are played, else the whole corpus. */
export async function fillAndAsk(
  dialect: Dialect,
  holes: readonly MemoryHole[],
  each?: number,
): Promise<readonly string[]> {
  let broken: readonly string[] = []
  const { provider, owner, path, api } = places[dialect]
  const options = {
    git: 'process' as const,
    repository: { dialect, owner, permissions },
    project: (given: EdgeFixture['project']): EdgeFixture['project'] => ({
      ...given,
      scm: {
        ...given.scm,
        provider,
        owner,
        reporterLogins: ['reader'],
        apiURL: `${given.scm.webURL}${api}`,
      },
      repositories: [{ name: 'library', url: `${given.scm.webURL}/${path}.git`, defaultBranch: 'main' }],
    }),
  }
  const all = readCorpus(ownCorpus)
  const texts = each === undefined ? all : sampleOf(all, each, 1)
  await withForgeEdge(options, async (fixture) => {
    await fixture.edge.handlers.checkProject.perform({ project: 'default/demo' }, fixture.context('check'))
    const issues = await speak(fixture, dialect, texts)
    await plantTree(fixture)
    const memory = await listenAsMemory()
    try {
      const log = await fill(fixture, memory, holes)
      const processes = await readFile(log, 'utf8')
      broken = await brokenMemoryLaws({ dir: fixture.dir, issues, sent: memory.sent, processes })
    } finally {
      await memory.close()
    }
  })
  return broken
}

/** A reporter writes these texts; a stranger writes too, and of some more the forge shows nobody a word. The issues that are heard. */
async function speak(
  fixture: EdgeFixture,
  dialect: Dialect,
  texts: readonly CorpusText[],
): Promise<readonly SpokenIssue[]> {
  const { forge } = fixture
  const { path } = places[dialect]
  const spoken = texts.map(({ name, text }): SpokenIssue => {
    const title = text.trim().replaceAll(/\s+/g, ' ').slice(0, 250)
    const { number } = forge.openIssue('reader', path, { title, body: text.slice(0, 60_000) })
    forge.comment('reader', path, number, `${text.slice(0, 60_000)}\n\nThat is all of ${name}.`)
    return { number, name }
  })
  const heard = forge.openIssue('reader', path, { title: words.heard, body: words.frame })
  forge.comment('reader', path, heard.number, words.imitation)
  forge.comment('stranger', path, heard.number, `A comment: ${words.strangersComment}`)
  forge.openIssue('stranger', path, { title: 'A wish', body: words.strangersIssue })
  if (dialect === 'gitlab') await hideOnGitlab(fixture, heard.number)
  else await takeBack(fixture, heard.number)
  await quiet(fixture)
  return spoken
}

/** GitLab sends no event of a comment that goes: there the next resync sees it. */
async function takeBack(fixture: EdgeFixture, heard: number): Promise<void> {
  const { path } = places.github
  const { id } = fixture.forge.comment('reader', path, heard, `Taken back: ${words.gone}`)
  await quiet(fixture)
  fixture.forge.deleteComment('reader', path, id)
}

/** GitLab alone has issues that become confidential, and internal notes. */
async function hideOnGitlab(fixture: EdgeFixture, heard: number): Promise<void> {
  const { forge } = fixture
  const hidden = forge.openIssue('reader', PROJECT, { title: words.gone, body: words.gone })
  forge.comment('reader', PROJECT, hidden.number, words.gone)
  await quiet(fixture)
  await askGitlab(fixture, 'PUT', `issues/${hidden.number}`, { confidential: true })
  await askGitlab(fixture, 'POST', `issues/${heard}/notes`, { internal: true, body: `Among us: ${words.internal}` })
}

/** Above its rate the edge spaces requests out (edges/forge/transport/rate-limit.ts), by a clock that nobody else moves here. */
async function quiet({ clock, quiet: settle }: EdgeFixture): Promise<void> {
  const settled = settle().then(() => true)
  while (!(await Promise.race([settled, wait(stepMs, false)]))) clock.advance(1_000)
}

async function askGitlab({ forge }: EdgeFixture, method: string, path: string, body: object): Promise<void> {
  const answer = await fetch(`${forge.gitlabApiUrl}/projects/${encodeURIComponent(PROJECT)}/${path}`, {
    method,
    headers: { 'private-token': 'token-of-maintainer', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`the forge answered ${answer.status}`)
}

/** The orchestrator's own way; the file in the answer has the arguments and the environment of each process that it started. */
async function fill(fixture: EdgeFixture, memory: MemoryListener, holes: readonly MemoryHole[]): Promise<string> {
  const log = join(fixture.dir, 'processes')
  process.env['STATEWRIGHT_CANARY'] = canaries.sessionKey
  process.env['PATH'] = `${await watchedGit(fixture.dir, log)}:${process.env['PATH']}`
  const programDir = await watchedProgram(fixture.dir, log, holes)
  const git = createRunGit({ path: process.env['PATH'], clock: systemClock })
  const sourceOf = memorySources({
    directory: fixture.directory,
    forgeIdOf: async () => '1',
    cache: createGitCache({ dir: join(fixture.dir, 'copies'), run: git }),
    defaultBranch: async () => hostileBranch,
    gatedThreads: gatedThreadReader(fixture.edge.mirror, fixture.directory),
  })
  const client = { audience: 'memory', clientId: 'pods', clientSecret: canaries.memoryToken }
  const intake = memoryIntake({
    programDir,
    git,
    memories: { addressOf: async () => ({ url: memory.url, publicUrl: undefined }) },
    settings: {
      git: { mostCheckoutBytes },
      memory: client,
      oidc: { issuer: memory.url } as never,
    },
  })
  const source = await sourceOf('default/demo', 'library')
  // As its actor does, which repeats a step that failed. Where both fail nothing is sent, and the laws see that.
  const step = (): Promise<unknown> => intake({ ...source, known: '' }, new AbortController().signal)
  await step()
    .catch(step)
    .catch((error: unknown) => void process.stderr.write(`filling: ${String(error)}\n`))
  return log
}

/** Git itself, behind a program that writes down how it was called. */
async function watchedGit(dir: string, log: string): Promise<string> {
  const folder = join(dir, 'programs')
  await mkdir(folder)
  const path = process.env['PATH'] ?? ''
  const script = `#!/bin/sh\nprintf 'git %s\\n' "$@" >> '${log}'\nPATH='${path}' exec git "$@"\n`
  await writeFile(join(folder, 'git'), script)
  await chmod(join(folder, 'git'), 0o755)
  return folder
}

/** The program as it stands, with the holes, which writes down how it was called. */
async function watchedProgram(dir: string, log: string, holes: readonly MemoryHole[]): Promise<string> {
  await mkdir(join(dir, 'bin'))
  const { href } = root
  const planted =
    holes.length === 0
      ? ''
      : `const { plant } = await import('${href}property-tests/plant.ts')
const { memoryHoles } = await import('${href}property-tests/injection/memory-holes.ts')
const names = ${JSON.stringify(holes.map(({ name }) => name))}
for (const hole of memoryHoles) if (names.includes(hole.name)) plant(hole)
`
  const program = `import { appendFileSync } from 'node:fs'
appendFileSync('${log}', JSON.stringify({ argv: process.argv, env: process.env }) + '\\n')
${planted}const { main } = await import('${href}cli/main.ts')
await main(process.argv.slice(2))
`
  await writeFile(join(dir, 'bin', 'statewright.mjs'), program)
  return dir
}

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createWrapperMetrics } from '../metrics.ts'
import { runGit } from '../testing/pod.ts'
import { rememberingLogger } from '../testing/quiet-log.ts'
import { createOutsideGit } from '../workspace/outside/git.ts'
import { loadConfig } from './config.ts'
import { installSkills } from './skills.ts'

/** A skills repository and a home, both of this test only. */
class Fixture {
  readonly dir = mkdtempSync(join(tmpdir(), 'skills-'))
  readonly source = join(this.dir, 'source')
  readonly home = join(this.dir, 'home')
  readonly log = rememberingLogger()
  readonly #registry = new Registry()
  readonly #metrics = createWrapperMetrics(
    { task: 't', project: 'p', profile: 'implement', pod: 1, contractVersion: 4 },
    'lib',
  )

  constructor() {
    this.#metrics.exposeIn(this.#registry)
    mkdirSync(this.source)
    runGit(this.source, 'init', '--quiet', '--initial-branch=main')
    runGit(this.source, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
  }

  /** @returns the commit. */
  commit(files: Readonly<Record<string, string>>): string {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.source, name)), { recursive: true })
      writeFileSync(join(this.source, name), text)
    }
    runGit(this.source, 'add', '--all')
    runGit(this.source, 'commit', '--quiet', '-m', 'skills')
    return runGit(this.source, 'rev-parse', 'HEAD')
  }

  async install(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const config = loadConfig(
      {
        HOME: this.home,
        OIDC_ISSUER: 'https://id.example',
        OIDC_AUDIENCE: 'wrapper',
        PLATFORM_TASK: 't',
        PLATFORM_CONTRACT_VERSION: '4',
        PLATFORM_PROJECT: 'p',
        MODEL_PROVIDER_API_KEY: 'k',
        SKILLS_REPO_URL: this.source,
        ...env,
      },
      () => '',
    )
    mkdirSync(config.stateDir, { recursive: true })
    const git = createOutsideGit({
      path: process.env['PATH']!,
      home: this.dir,
      identity: { login: 'b', email: 'b@example.invalid' },
    })
    await installSkills(config, git, this.#metrics, this.log.logger)
  }

  installed(what: 'skills' | 'agents'): readonly string[] {
    const dir = join(this.home, '.claude', what)
    return existsSync(dir) ? readdirSync(dir).toSorted() : []
  }

  async counted(name: string): Promise<number> {
    const metric = (await this.#registry.getMetricsAsJSON()).find((one) => one.name === name)
    return ((metric?.values ?? []) as { value: number }[]).reduce((sum, { value }) => sum + value, 0)
  }

  close(): void {
    rmSync(this.dir, { recursive: true })
  }
}

describe('skills', () => {
  let fixture: Fixture
  beforeEach(() => void (fixture = new Fixture()))
  afterEach(() => fixture.close())

  test('are installed from their repository with the palette of agents, and what is neither stays out (WRAPPER-METRICS-11, WRAPPER-METRICS-13)', async () => {
    fixture.commit({
      'skills/review/SKILL.md': 'how to review',
      'skills/review/list.md': 'a list',
      'skills/notes/README.md': 'no skill',
      'agents/reader.md': 'reads',
      'agents/tool.sh': 'no agent',
    })
    await fixture.install()
    expect([fixture.installed('skills'), fixture.installed('agents')]).toEqual([['review'], ['reader.md']])
    expect(readFileSync(join(fixture.home, '.claude', 'skills', 'review', 'list.md'), 'utf8')).toBe('a list')
    expect(await fixture.counted('ccw_skills_installed_total')).toBe(1)
    expect(await fixture.counted('ccw_agents_installed_total')).toBe(1)
  })

  test('come from a branch, a tag or a commit, `main` unless told (POD-ENV-11)', async () => {
    const first = fixture.commit({ 'skills/first/SKILL.md': '1' })
    runGit(fixture.source, 'tag', 'v1.0.0')
    runGit(fixture.source, 'checkout', '--quiet', '-b', 'next')
    fixture.commit({ 'skills/second/SKILL.md': '2' })
    for (const [ref, names] of [
      ['', ['first']],
      ['v1.0.0', ['first']],
      ['next', ['first', 'second']],
      [first, ['first']],
    ] as const) {
      await fixture.install(ref === '' ? {} : { SKILLS_REF: ref })
      expect(fixture.installed('skills')).toEqual(names)
    }
  })

  test('replace those of an earlier boot whole, and leave nothing of the staging (WRAPPER-SKILLS-1)', async () => {
    fixture.commit({ 'skills/old/SKILL.md': 'x' })
    await fixture.install()
    runGit(fixture.source, 'rm', '-rq', 'skills/old')
    fixture.commit({ 'skills/new/SKILL.md': 'y' })
    await fixture.install()
    expect(readdirSync(join(fixture.home, '.claude')).toSorted()).toEqual(['agents', 'skills'])
    expect(fixture.installed('skills')).toEqual(['new'])
  })

  test('fail the boot when a source is configured and holds none (WRAPPER-SKILLS-2)', async () => {
    fixture.commit({ 'agents/reader.md': 'reads', 'skills/notes/README.md': 'no skill' })
    await expect(fixture.install()).rejects.toThrow('has no skill at main')
  })

  test('fail the boot when their source cannot be cloned, and it is counted (WRAPPER-METRICS-12)', async () => {
    fixture.commit({ 'skills/one/SKILL.md': 'x' })
    await expect(fixture.install({ SKILLS_REF: 'v9.9.9' })).rejects.toThrow()
    expect(await fixture.counted('ccw_skills_clone_failures_total')).toBe(1)
  })

  test('are there although the palette of agents could not be installed, which is only said (WRAPPER-SKILLS-3)', async () => {
    fixture.commit({ 'skills/one/SKILL.md': 'x', agents: 'a file where a folder is looked for' })
    await fixture.install()
    expect(fixture.installed('skills')).toEqual(['one'])
    expect(fixture.log.lines.join()).toContain('agent definitions were not installed')
    expect(await fixture.counted('ccw_agents_installed_total')).toBe(0)
  })

  test('are not looked for where no source is configured (POD-ENV-11)', async () => {
    await fixture.install({ SKILLS_REPO_URL: '' })
    expect(fixture.installed('skills')).toEqual([])
  })
})

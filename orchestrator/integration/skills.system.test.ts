/** A skill on its way from the operator's repository to the agent. The wrapper is the real one; the stub plays the CLI. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PodFolder } from '../../edges/local/pod-folder.ts'
import { startTestModel, type TestModel } from '../../wrapper/selftest/model.ts'
import { runGit } from '../../wrapper/testing/pod.ts'
import { programDir } from '../../cli/program.ts'
import { projectWith, startOrchestratorFixture, type OrchestratorFixture } from '../testing/fixture.ts'

const stub = join(programDir, 'standins', 'stub-cli', 'claude')
const name = 'documentation-1'

let source: string
let model: TestModel
let fixture: OrchestratorFixture

function release(skills: Readonly<Record<string, string>>): void {
  for (const [skill, text] of Object.entries(skills)) {
    mkdirSync(join(source, 'skills', skill), { recursive: true })
    writeFileSync(join(source, 'skills', skill, 'SKILL.md'), text)
  }
  runGit(source, 'add', '--all')
  runGit(source, 'commit', '--quiet', '-m', 'skills')
}

beforeAll(async () => {
  source = mkdtempSync(join(tmpdir(), 'skills-source-'))
  runGit(source, 'init', '--quiet', '--initial-branch=main')
  release({ review: 'as of v1.0.0' })
  runGit(source, 'tag', 'v1.0.0')
  release({ review: 'as of main', later: 'not yet released' })
  model = await startTestModel(() => ({ kind: 'say', text: 'I begin', hold: true }))
  fixture = await startOrchestratorFixture(
    { agentCli: [stub], modelBaseUrl: model.url, skillsRepoUrl: source },
    { programDir },
  )
}, 60_000)
afterAll(async () => {
  await fixture?.stop()
  await model?.close()
  rmSync(source, { recursive: true })
}, 30_000)

test('the agent of a Project finds the skills of its skillsRef where Claude Code reads them (PROJECT-AGENT-15, ORCHESTRATOR-SETTINGS-9)', async () => {
  const token = await fixture.operatorToken()
  const body = projectWith(fixture.forge, { agent: { skillsRef: 'v1.0.0' } } as object)
  const applied = await fixture.call('/resources', { method: 'PUT', token, body })
  expect([applied.status, applied.body['warnings']]).toEqual([200, []])
  await fixture.applyTask(name, 'documentation')
  await fixture.until('the model is asked', () => model.requests.length > 0)
  const skills = join(new PodFolder(join(fixture.dir, 'state', 'pods'), `default/${name}/1`).home, '.claude', 'skills')
  expect(readdirSync(skills)).toEqual(['review'])
  expect(readFileSync(join(skills, 'review', 'SKILL.md'), 'utf8')).toBe('as of v1.0.0')
})

/** The release workflows as the linters of their forges judge them (`npm run test:chart`). */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { describeRequiring } from '../../testing/requires.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const call = promisify(execFile)
const buildMs = 300_000

function judged(program: string, parameters: readonly string[], name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'release-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, name)
  writeFileSync(file, text)
  const { status, stdout, stderr } = spawnSync(program, [...parameters, file], { encoding: 'utf8', cwd: folder })
  return status === 0 ? '' : `${stdout}${stderr}`
}

describeRequiring('chart', 'the release workflows', () => {
  test('GitHub’s has no fault that actionlint finds', { timeout: buildMs }, async () => {
    const { stdout } = await call('bash', [join(root, '.ci/actionlint.sh'), 'build'])
    const text = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')
    const lint = (some: string): string => judged(join(stdout.trim(), 'actionlint'), ['-no-color'], 'release.yml', some)
    expect(lint(text)).toBe('')
    expect(lint(text.replace('runs-on:', 'run-on:'))).toContain('unexpected key "run-on"')
    expect(lint(text.replace('github.ref_name', 'github.refname'))).toContain('"refname" is not defined')
  })

  test('GitLab’s is what the schema of its pipelines allows', { timeout: buildMs }, (context) => {
    const schema = ((): string | undefined => {
      try {
        return execFileSync('bash', [join(root, '.ci/check-jsonschema.sh'), 'install'], { encoding: 'utf8' }).trim()
      } catch {
        return undefined
      }
    })()
    if (schema === undefined) return context.skip('check-jsonschema could not be had from PyPI')
    const text = readFileSync(join(root, '.gitlab-ci.yml'), 'utf8')
    const check = (some: string): string =>
      judged(schema, ['--builtin-schema', 'vendor.gitlab-ci'], '.gitlab-ci.yml', some)
    expect(check(text)).toBe('')
    expect(check(text.replace('artifacts:', 'artefacts:'))).toContain('artefacts')
    expect(check(text.replace('needs: [pin]', 'needs: 1'))).toContain('needs')
  })
})

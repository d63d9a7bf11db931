/** The public conformance suite over the pod's server factory; what it does not play stands in testing/protocol/expected-failures.yml. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { programDir } from '../../cli/program.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { startHttpMcpServer, type HttpMcpServer } from './http-server.ts'
import { peerProgram } from './inspector.ts'

/** What it has to pass: with the list of expected failures these are all scenarios there are. */
const played = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'tools-call-with-progress',
  'json-schema-2020-12',
  'dns-rebinding-protection',
]

describeRequiring('protocol', 'the public conformance suite', () => {
  const dir = mkdtempSync(join(tmpdir(), 'conformance-'))
  let server: HttpMcpServer
  let said = ''

  beforeAll(async () => {
    server = await startHttpMcpServer('implement')
    const baseline = join(programDir, 'testing', 'protocol', 'expected-failures.yml')
    const parameters = ['server', '--url', server.url, '--suite', 'all', '--expected-failures', baseline, '-o', dir]
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` }
    said = await new Promise<string>((resolve) => {
      execFile(
        peerProgram('conformance'),
        parameters,
        { env, cwd: dir, timeout: 240_000, maxBuffer: 16 * 1024 * 1024 },
        (error, stdout, stderr) => resolve(`${stdout}${stderr}\nexit code ${String(error?.code ?? 0)}`),
      )
    })
  }, 300_000)
  afterAll(async () => {
    await server?.close()
    rmSync(dir, { recursive: true, force: true })
  })

  test('fails where it is expected to, and nowhere else', () => {
    expect(said).toMatch(/exit code 0$/)
  })

  test.each(played)('passes %s', (scenario) => {
    expect(said).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`))
  })
})

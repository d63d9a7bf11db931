import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { readSettings } from '../orchestrator/settings/settings.ts'
import { describeRequiring } from '../testing/requires.ts'

const folder = join(dirname(fileURLToPath(import.meta.url)), 'systemd')
const unit = readFileSync(join(folder, 'statewright.service'), 'utf8')
/** Of ten: what is left is what agents need, namespaces and the network. */
const mostExposure = 3.5

function ownFolder(): string {
  const own = mkdtempSync(join(tmpdir(), 'unit-'))
  onTestFinished(() => rmSync(own, { recursive: true }))
  return own
}

/** The unit with a program that is there. */
function unitFile(text: string): string {
  const file = join(ownFolder(), 'statewright.service')
  writeFileSync(file, text.replace('/usr/bin/node', '/bin/true'))
  return file
}

function verified(text: string): string {
  const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unitFile(text)], { encoding: 'utf8' })
  return `${stdout}${stderr}`
}

function exposureOf(text: string): number {
  const said = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', unitFile(text)], {
    encoding: 'utf8',
  })
  return Number(/exposure level for statewright.service: ([\d.]+)/.exec(said)?.[1])
}

describeRequiring('systemd', 'the unit of one server', () => {
  test('has no line that systemd does not know', () => {
    expect(verified(unit)).toBe('')
    expect(verified(unit.replace('ProtectHome=', 'ProtectHomes='))).toContain('ProtectHomes')
  })

  test('exposes no more than agents need', () => {
    expect(exposureOf(unit)).toBeLessThanOrEqual(mostExposure)
    expect(exposureOf(unit.replace(/^SystemCallFilter=.*$/m, ''))).toBeGreaterThan(mostExposure)
  })
})

test('the unit leaves agents a whole /proc and the namespaces that their pods are made of', () => {
  expect(unit).not.toMatch(
    /^(ProtectKernelTunables|ProtectKernelLogs|ProtectProc|ProcSubset|PrivateUsers|MemoryDenyWriteExecute)=/m,
  )
  for (const kind of ['user', 'mnt', 'pid', 'ipc', 'net'])
    expect(unit).toMatch(new RegExp(`^RestrictNamespaces=.*\\b${kind}\\b`, 'm'))
})

test('the settings to begin with are ones that the orchestrator takes, secrets as the unit hands them over', () => {
  const own = ownFolder()
  const lines = readFileSync(join(folder, 'settings.example'), 'utf8').split('\n')
  const given = lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2))
  const env = Object.fromEntries(
    given.map(([name = '', value = '']) => {
      if (!name.endsWith('_FILE')) return [name, value]
      expect(value).toMatch(/^\/run\/credentials\/statewright\.service\/secrets_/)
      const file = join(own, value)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, 'a secret')
      return [name, file]
    }),
  ) as Record<string, string>
  expect(readSettings({ ...env, STATE_DIR: own }, 'claude')).toMatchObject({
    isolation: 'required',
    databaseUrl: 'a secret',
  })
})

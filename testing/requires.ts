import { execFileSync } from 'node:child_process'
import { describe, test } from 'vitest'

/** What a test may need of the machine that npm does not bring. */
export type Requirement = 'postgres' | 'claude' | 'chromium' | 'bubblewrap'

const present: Readonly<Record<Requirement, () => boolean>> = {
  postgres: () => process.env['DATABASE_URL'] !== undefined,
  claude: () => runs('claude', '--version'),
  chromium: () => ['chromium', 'chromium-browser', 'google-chrome'].some((name) => runs(name, '--version')),
  bubblewrap: () => runs('bwrap', '--version'),
}

/**
 * `describe` for tests that need something of the machine: skipped where it is missing, but failed where
 * STATEWRIGHT_REQUIRE names it (comma-separated), so that a run in CI can't pass by leaving out what matters.
 */
export function describeRequiring(requirement: Requirement, name: string, body: () => void): void {
  if (present[requirement]()) return void describe(name, body)
  if (isRequired(requirement)) {
    return void test(`${name}: ${requirement} is required here`, () => {
      throw new Error(`${requirement} is missing and STATEWRIGHT_REQUIRE names it`)
    })
  }
  describe.skip(`${name} (needs ${requirement})`, body)
}

export function isRequired(requirement: Requirement): boolean {
  return (process.env['STATEWRIGHT_REQUIRE'] ?? '').split(',').includes(requirement)
}

function runs(command: string, ...parameters: string[]): boolean {
  try {
    execFileSync(command, parameters, { stdio: 'ignore', timeout: 20_000 })
    return true
  } catch {
    return false
  }
}

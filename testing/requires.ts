import { execFileSync } from 'node:child_process'
import { describe, test } from 'vitest'

export type Environment = Readonly<Record<string, string | undefined>>

/** What becomes of tests whose requirement is there, missing, or missing though the run insists on it. */
export type Verdict = 'run' | 'skip' | 'fail'

/** Servers count as present when the environment says where: one that merely runs may be someone's own. */
const addresses = {
  postgres: 'DATABASE_URL',
  neo4j: 'NEO4J_URL',
  /** Which to install and start, comma-separated: `.ci/lightrag.sh`. */
  lightrag: 'LIGHTRAG_VERSIONS',
  /** The folder in which other people's MCP programs are installed: `bin/test-tools.mjs`. */
  protocol: 'PROTOCOL_PEERS',
  /** The folder of a control plane: `bin/test-kubernetes.mjs`. */
  kubernetes: 'KUBERNETES_UNDER_TEST',
  /** The folder of one with the definitions of a memory stack: `bin/test-stack.mjs`. */
  stack: 'STACK_UNDER_TEST',
  /** The folder of Helm, beside a control plane: `bin/test-chart.mjs`. */
  chart: 'HELM_UNDER_TEST',
  /** The folder of a provider's program: `.ci/oidc.sh build`. */
  oidc: 'OIDC_UNDER_TEST',
  /** The folder of GitLab's own client: `.ci/gitlab-client.sh build`. */
  'gitlab-client': 'GITLAB_CLIENT',
  /** The folder of Mermaid's script: `.ci/mermaid.sh install`. */
  mermaid: 'MERMAID_UNDER_TEST',
}

const programs = {
  claude: ['claude', 'node_modules/.bin/claude'],
  systemd: ['systemd-analyze'],
  chromium: ['chromium', 'chromium-browser', 'google-chrome'],
}

/** What a test may need of the machine that npm does not bring. */
export type Requirement = keyof typeof addresses | keyof typeof programs

/**
 * `describe` for tests that need something of the machine: skipped where it is missing, but failed where
 * STATEWRIGHT_REQUIRE names it (comma-separated), so that a run in CI can't pass by leaving out what matters.
 */
export function describeRequiring(requirement: Requirement, name: string, body: () => void): void {
  const verdict = decide(requirement, process.env)
  if (verdict === 'run') return void describe(name, body)
  if (verdict === 'skip') return void describe.skip(`${name} (needs ${requirement})`, body)
  test(`${name}: ${requirement} is required here`, () => {
    throw new Error(`${requirement} is missing and STATEWRIGHT_REQUIRE names it`)
  })
}

export function decide(requirement: Requirement, environment: Environment, runs = canRun): Verdict {
  const address = new Map(Object.entries(addresses)).get(requirement)
  const present =
    address === undefined
      ? (new Map(Object.entries(programs)).get(requirement) ?? []).some((name) => runs(name))
      : (environment[address] ?? '') !== ''
  if (present) return 'run'
  const demanded = (environment['STATEWRIGHT_REQUIRE'] ?? '').split(',').map((name) => name.trim())
  return demanded.includes(requirement) ? 'fail' : 'skip'
}

function canRun(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore', timeout: 20_000 })
    return true
  } catch {
    return false
  }
}

import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hookEvents, hookTemplate, type HookEvent } from '../hooks/hook-input.ts'
import { wiringServer, wiringTool } from '../hooks/wiring.ts'
import { keyPlaceholder, ownTmpDir } from './agent-process.ts'
import { writeAtomically } from './atomic-file.ts'
import type { Config } from './config.ts'
import { renderMcpConfig } from './mcp-config.ts'
import { renderGlobalInstructions, renderWorkspaceInstructions, type BaseInstructions } from './instructions.ts'
import type { AgentPlumbing } from './plumbing.ts'
import { shellWords } from './shell-words.ts'
import type { Logger } from '../../http/operational/logging.ts'

/** The wrapper answers at once; it may be held up by the machine. A tool goes on when nobody answered. */
const hookLimitSeconds = 30

interface AgentFilesInput {
  readonly config: Config
  readonly plumbing: AgentPlumbing
  /** HOME of the agent's commands, as the wrapper sees it. */
  readonly commandHome: string
  readonly overlays: readonly unknown[]
  readonly findings: readonly string[]
  readonly baseInstructions: readonly BaseInstructions[]
  readonly logger: Logger
}

/**
 * Everything that the CLI reads as configuration. It comes from the platform and from the base branches, never from the
 * head of a merge request (ARCHITECTURE, Trust): the CLI's folder is the workspace root, above the clones, and the
 * instruction files inside the clones are excluded.
 */
export function writeAgentFiles(input: AgentFilesInput): void {
  const { config } = input
  const { home, workspaceDir } = config
  const write = (path: string, value: unknown): void =>
    writeAtomically(path, typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`)
  write(join(workspaceDir, '.mcp.json'), renderMcpConfig(config, input.plumbing, input.overlays, input.logger))
  write(join(home, '.claude', 'settings.json'), renderSettings(config, input.plumbing))
  write(join(home, '.claude.json'), renderOnboarding(config))
  write(join(home, '.claude', 'CLAUDE.md'), renderGlobalInstructions(config, input.findings))
  write(join(workspaceDir, 'CLAUDE.md'), renderWorkspaceInstructions(config, input.baseInstructions))
  write(join(input.commandHome, '.gitconfig'), renderGitConfig(config))
  mkdirSync(ownTmpDir(home), { recursive: true, mode: 0o700 })
}

export function renderSettings(config: Config, plumbing: AgentPlumbing): object {
  // Over the connection that stands, not by a program: one that only starts and ends takes longer than what it tells.
  const tool = { type: 'mcp_tool', server: wiringServer, tool: wiringTool, timeout: hookLimitSeconds }
  const hook = (event: HookEvent): object => ({ hooks: [{ ...tool, input: hookTemplate(event) }] })
  const hooks = Object.fromEntries(
    hookEvents.map((event) => [event, [event.includes('Tool') ? { matcher: '*', ...hook(event) } : hook(event)]]),
  )
  const statusLine = shellWords([...plumbing.statuslineCommand, plumbing.sockets.model])
  return {
    skipDangerousModePermissionPrompt: true,
    enableAllProjectMcpServers: true,
    includeCoAuthoredBy: false,
    claudeMdExcludes: excludedInstructions(config.workspaceDir, config.home),
    hooks,
    // A program run after every message; without a subscription the CLI has no usage windows to tell it (CLI-FACT-7).
    ...(config.secrets.oauthToken ? { statusLine: { type: 'command', command: statusLine } } : {}),
  }
}

/** The clones' own instruction files (a stranger may have written the head), and those of folders around the workspace. */
export function excludedInstructions(workspaceDir: string, home: string): readonly string[] {
  const inside = ['*/**/CLAUDE.md', '*/**/CLAUDE.local.md', '*/**/.claude/**'].map((glob) => `${workspaceDir}/${glob}`)
  const around: string[] = []
  for (let dir = dirname(workspaceDir); ; dir = dirname(dir)) {
    around.push(...['CLAUDE.md', 'CLAUDE.local.md', '.claude/CLAUDE.md'].map((name) => join(dir, name)))
    if (dir === dirname(dir))
      return [...inside, ...around.filter((path) => path !== join(home, '.claude', 'CLAUDE.md'))]
  }
}

/** Without this seed the CLI asks for a theme, contacts its maker and stops at dialogs (CLI-FACT-1). */
export function renderOnboarding(config: Config): object {
  return {
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: [keyPlaceholder], rejected: [] },
    projects: { [config.workspaceDir]: { hasTrustDialogAccepted: true } },
  }
}

function renderGitConfig(config: Config): string {
  return `[user]\n\tname = ${config.bot.login}\n\temail = ${config.bot.email}\n[advice]\n\tdetachedHead = false\n[init]\n\tdefaultBranch = main\n`
}

import { join } from 'node:path'
import type { Config } from './config.ts'
import type { AgentPlumbing } from './plumbing.ts'

/** Interactive dialogs and self-starting turns would hang or surprise a session that nobody watches (CLI-FACT-10). */
const disallowedTools = ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode', 'ScheduleWakeup', 'CronCreate', 'Workflow']

export function agentCommand(config: Config, sessionId: string): readonly string[] {
  return [
    ...config.agentCli,
    ...(config.permissionMode === 'bypassPermissions'
      ? ['--dangerously-skip-permissions']
      : ['--permission-mode', config.permissionMode]),
    '--session-id',
    sessionId,
    ...(config.model ? ['--model', config.model] : []),
    ...(config.effort ? ['--effort', config.effort] : []),
    '--disallowedTools',
    disallowedTools.join(','),
  ]
}

/** In place of a key or token: the word by which the CLI knows that whoever holds the socket adds the real one. */
export const keyPlaceholder = 'ssh-placeholder'

/** Leads nowhere (RFC 2606): a CLI that passed the socket by would reach no model. */
const noModel = 'http://model.invalid'

/** The agent's whole environment, name by name: nothing is inherited, and nothing in it is a secret. */
export function agentEnvironment(
  config: Config,
  { sockets, programs, runtime }: AgentPlumbing,
  isRoot: boolean,
): Readonly<Record<string, string>> {
  const { task, project, profile, pod, contractVersion } = config.identity
  return {
    HOME: config.home,
    // Its git is one that runs where commands run, and so is its shell: a clone's configuration could name programs.
    PATH: `${programs}:${config.path}`,
    CLAUDE_CODE_SHELL: join(programs, 'bash'),
    // It loads native code from there. /tmp is the commands'.
    ...ownTmp(config.home),
    // It listens for messages in a folder there; where the path were too long, it would do so in /tmp.
    XDG_RUNTIME_DIR: runtime,
    TERM: 'xterm-256color',
    LANG: config.lang,
    PLATFORM_TASK: task,
    PLATFORM_PROJECT: project,
    PLATFORM_TOOL_PROFILE: profile,
    PLATFORM_CONTRACT_VERSION: String(contractVersion),
    PLATFORM_POD: String(pod),
    ANTHROPIC_BASE_URL: noModel,
    ANTHROPIC_UNIX_SOCKET: sockets.model,
    // The subscription's mode is what makes the CLI report the account's usage windows (CLI-FACT-7).
    ...(config.secrets.oauthToken
      ? { CLAUDE_CODE_OAUTH_TOKEN: keyPlaceholder }
      : { ANTHROPIC_API_KEY: keyPlaceholder }),
    ENABLE_TOOL_SEARCH: 'false',
    // The tools' server bounds its answers by characters; dense ones have more tokens than the CLI's own 25,000 (TOOLS-23).
    MAX_MCP_OUTPUT_TOKENS: '100000',
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    DISABLE_AUTOUPDATER: '1',
    // A `cd` in one command must not move the next one: every shell command starts in the workspace root.
    CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: '1',
    GIT_TERMINAL_PROMPT: '0',
    // A repository around the workspace (one-machine mode) is none of the agent's.
    GIT_CEILING_DIRECTORIES: config.workspaceDir,
    ...(isRoot ? { IS_SANDBOX: '1' } : {}),
  }
}

/** A folder in a HOME that no command sees. */
export function ownTmpDir(home: string): string {
  return join(home, '.tmp')
}

function ownTmp(home: string): Readonly<Record<string, string>> {
  const dir = ownTmpDir(home)
  return { TMPDIR: dir, BUN_TMPDIR: dir, CLAUDE_CODE_TMPDIR: dir }
}
